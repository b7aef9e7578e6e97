# SPDX-License-Identifier: GPL-2.0-only
"""Two links with cyclic interference: rock, paper, scissors; see `card.md`."""
