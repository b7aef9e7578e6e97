# SPDX-License-Identifier: GPL-2.0-only
"""Cart-poles that are balanced across a network; see `card.md`."""
