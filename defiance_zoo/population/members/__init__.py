# SPDX-License-Identifier: GPL-2.0-only
"""The policies of a population: what is known of them, and where they are kept."""

from defiance_zoo.population.members.records import PolicyRecord, Population
from defiance_zoo.population.members.store import PolicyStore

__all__ = ["PolicyRecord", "PolicyStore", "Population"]
