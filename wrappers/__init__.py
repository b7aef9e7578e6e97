# SPDX-License-Identifier: GPL-2.0-only
"""Adapters for libraries; each imports its library only when it is imported."""
