# SPDX-License-Identifier: GPL-2.0-only
"""Populations of policies that play each other: payoff tables, mixtures, and how they grow."""

from defiance_zoo.population.games.exploitability import Exploitability, exploitability
from defiance_zoo.population.games.normal_form import Mixtures, NormalForm
from defiance_zoo.population.games.seats import Profile, Seats
from defiance_zoo.population.members import PolicyRecord, PolicyStore, Population
from defiance_zoo.population.solvers import SOLVERS, solve
from defiance_zoo.population.table import Cell, Outcome, PayoffTable, Statistics

__all__ = [
    "Cell",
    "Exploitability",
    "Mixtures",
    "NormalForm",
    "Outcome",
    "PayoffTable",
    "PolicyRecord",
    "PolicyStore",
    "Population",
    "Profile",
    "SOLVERS",
    "Seats",
    "Statistics",
    "exploitability",
    "solve",
]
