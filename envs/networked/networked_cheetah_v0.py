# SPDX-License-Identifier: GPL-2.0-only
"""`networked_cheetah_v0`: MuJoCo's half-cheetah behind a network, as a board.

The card beside this file describes the differences from `networked_control_v0`.
"""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.envs.networked.baselines import CHEETAH_BASELINES
from defiance_zoo.envs.networked.rendering import ObservedCheetah
from defiance_zoo.envs.networked.specification import make_board

SPEC = make_board(
    "networked_cheetah_v0",
    "HalfCheetah-v5",
    {"tick": "50ms"},
    renderer=ObservedCheetah(),
    baselines=CHEETAH_BASELINES,
    leaderboard=Path(__file__).with_name("leaderboard_cheetah.yaml"),
    description="MuJoCo's half-cheetah, whose joints are far from its agent",
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
