# SPDX-License-Identifier: GPL-2.0-only
"""Measurements of leaks, hangs and losses."""
