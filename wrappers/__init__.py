# SPDX-License-Identifier: GPL-2.0-only
"""Adapters for libraries; an adapter imports its library only when it is imported itself."""
