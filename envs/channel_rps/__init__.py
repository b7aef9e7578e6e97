# SPDX-License-Identifier: GPL-2.0-only
"""Two links that disturb each other in a circle: rock, paper, scissors; see `card.md`."""
