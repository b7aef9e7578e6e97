# SPDX-License-Identifier: GPL-2.0-only
"""Routers whose agents forward packets; see `card.md`."""
