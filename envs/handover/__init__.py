# SPDX-License-Identifier: GPL-2.0-only
"""LTE users that move, and agents that hand them over from cell to cell; see `card.md`."""
