# SPDX-License-Identifier: GPL-2.0-only
"""Routers whose agents choose where packets go; see `card.md`."""
