# SPDX-License-Identifier: GPL-2.0-only
"""The payoffs among policies, as they were measured."""

from defiance_zoo.population.table.payoffs import Cell, Outcome, PayoffTable
from defiance_zoo.population.table.statistics import Statistics

__all__ = ["Cell", "Outcome", "PayoffTable", "Statistics"]
