# SPDX-License-Identifier: GPL-2.0-only
"""Episodes that are played by policies: what they returned, whoever decided."""

from defiance_zoo.evaluation.playing import PlayedEpisode, agent_spaces, open_env, play
from defiance_zoo.evaluation.policies import (
    BaselinePolicy,
    DividedPolicy,
    Policy,
    RandomPolicy,
    Spaces,
    baselines,
    find_divisions,
)

__all__ = [
    "BaselinePolicy",
    "DividedPolicy",
    "PlayedEpisode",
    "Policy",
    "RandomPolicy",
    "Spaces",
    "agent_spaces",
    "baselines",
    "find_divisions",
    "open_env",
    "play",
]
