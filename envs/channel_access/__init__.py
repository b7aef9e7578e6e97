# SPDX-License-Identifier: GPL-2.0-only
"""Radios that choose a channel for each slot; see `card.md`."""
