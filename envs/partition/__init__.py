# SPDX-License-Identifier: GPL-2.0-only
"""Replicas of a consensus protocol in a network that an agent partitions; see `card.md`."""
