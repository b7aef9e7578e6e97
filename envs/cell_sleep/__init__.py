# SPDX-License-Identifier: GPL-2.0-only
"""LTE cells that sleep and wake while traffic follows a day; see `card.md`."""
