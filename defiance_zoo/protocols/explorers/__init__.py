# SPDX-License-Identifier: GPL-2.0-only
"""Explorers, which choose the next action of a test."""

from defiance_zoo.protocols.explorers.bonus import BonusMax
from defiance_zoo.protocols.explorers.branching import BranchExplorer
from defiance_zoo.protocols.explorers.chance import Random, Strict
from defiance_zoo.protocols.explorers.explorer import Explorable, Explorer, Visit
from defiance_zoo.protocols.explorers.negative import NegRL, NegRLVisits
from defiance_zoo.protocols.explorers.nemesis import FAULTS, Nemesis
from defiance_zoo.protocols.explorers.schedule import Schedule
from defiance_zoo.protocols.explorers.situation import Situation, read_situation
from defiance_zoo.protocols.explorers.waypoint import Waypoint

__all__ = [
    "FAULTS",
    "BonusMax",
    "BranchExplorer",
    "Explorable",
    "Explorer",
    "NegRL",
    "NegRLVisits",
    "Nemesis",
    "Random",
    "Schedule",
    "Situation",
    "Strict",
    "Visit",
    "Waypoint",
    "read_situation",
]
