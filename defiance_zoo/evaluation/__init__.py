# SPDX-License-Identifier: GPL-2.0-only
"""Episodes that are played by policies: what they returned, whoever decided."""

from defiance_zoo.evaluation.playing import PlayedEpisode, open_env, play
from defiance_zoo.evaluation.policies import BaselinePolicy, Policy, RandomPolicy, baselines

__all__ = [
    "BaselinePolicy",
    "PlayedEpisode",
    "Policy",
    "RandomPolicy",
    "baselines",
    "open_env",
    "play",
]
