# SPDX-License-Identifier: GPL-2.0-only
"""What simulations say, and what it means: rounds, agents, reports."""
