# SPDX-License-Identifier: GPL-2.0-only
"""Messages of simulations in Python's types: rounds, agents, reports."""
