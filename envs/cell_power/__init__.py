# SPDX-License-Identifier: GPL-2.0-only
"""LTE cells whose transmit power agents choose; see `card.md`."""
