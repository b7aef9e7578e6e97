# SPDX-License-Identifier: GPL-2.0-only
"""Rewards that lead any learner to new states."""

from defiance_zoo.protocols.rewards.bonuses import (
    Bonus,
    CountBonus,
    NegVisits,
    ViolationReward,
    WaypointBonus,
    properties,
)
from defiance_zoo.protocols.rewards.rewarded_environments import RewardedEnv, RewardedParallelEnv

__all__ = [
    "Bonus",
    "CountBonus",
    "NegVisits",
    "RewardedEnv",
    "RewardedParallelEnv",
    "ViolationReward",
    "WaypointBonus",
    "properties",
]
