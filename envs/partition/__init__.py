# SPDX-License-Identifier: GPL-2.0-only
"""Replicas of a consensus protocol, whose network an agent partitions; see `card.md`."""
