# SPDX-License-Identifier: GPL-2.0-only
"""Explorers, which choose the next action of a test."""

from defiance_zoo.protocols.explorers.branching import BranchExplorer
from defiance_zoo.protocols.explorers.explorer import (
    Explorer,
    Random,
    Situation,
    Visit,
    read_situation,
)
from defiance_zoo.protocols.explorers.mutation import Mutation
from defiance_zoo.protocols.explorers.nemesis import FAULTS, Nemesis
from defiance_zoo.protocols.explorers.pct import PCT
from defiance_zoo.protocols.explorers.q_learning import (
    BonusMax,
    NegRL,
    NegRLVisits,
    Schedule,
    Waypoint,
)
from defiance_zoo.protocols.explorers.swarm import Swarm

__all__ = [
    "FAULTS",
    "PCT",
    "BonusMax",
    "BranchExplorer",
    "Explorer",
    "Mutation",
    "NegRL",
    "NegRLVisits",
    "Nemesis",
    "Random",
    "Schedule",
    "Situation",
    "Swarm",
    "Visit",
    "Waypoint",
    "read_situation",
]
