# SPDX-License-Identifier: GPL-2.0-only
"""Adapters, one a consumer; each imports its library only when it is imported itself."""
