# SPDX-License-Identifier: GPL-2.0-only
"""Cart-poles that drive past edge nodes, and agents that may move along; see `card.md`."""
