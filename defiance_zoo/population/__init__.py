# SPDX-License-Identifier: GPL-2.0-only
"""Populations of policies that play each other: payoff tables, mixtures and training."""

from defiance_zoo.population.configuration import KnownPolicy, PopulationConfig
from defiance_zoo.population.cross_play import compare_runs
from defiance_zoo.population.exploitation import exploit_population
from defiance_zoo.population.feasibility import read_population_file
from defiance_zoo.population.games.game import Game, Profile, Seats
from defiance_zoo.population.games.normal_form import (
    Exploitability,
    Mixtures,
    NormalForm,
    exploitability,
)
from defiance_zoo.population.members import PolicyRecord, PolicyStore, Population
from defiance_zoo.population.payoff_table import Cell, Outcome, PayoffTable, Statistics
from defiance_zoo.population.running.generations import describe_population
from defiance_zoo.population.running.run import (
    Outcome as PopulationOutcome,
)
from defiance_zoo.population.running.run import (
    read_population,
    resume_population,
    train_population,
)
from defiance_zoo.population.running.state import PopulationState
from defiance_zoo.population.solvers.registry import SOLVERS, solve

__all__ = [
    "Cell",
    "Exploitability",
    "Game",
    "KnownPolicy",
    "Mixtures",
    "NormalForm",
    "Outcome",
    "PayoffTable",
    "PolicyRecord",
    "PolicyStore",
    "Population",
    "PopulationConfig",
    "PopulationOutcome",
    "PopulationState",
    "Profile",
    "SOLVERS",
    "Seats",
    "Statistics",
    "compare_runs",
    "describe_population",
    "exploit_population",
    "exploitability",
    "read_population",
    "read_population_file",
    "resume_population",
    "solve",
    "train_population",
]
