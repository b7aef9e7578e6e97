# SPDX-License-Identifier: GPL-2.0-only
"""TCP flows that share bottlenecks, with agents as their congestion control; see `card.md`."""
