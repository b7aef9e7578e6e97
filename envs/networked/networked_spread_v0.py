# SPDX-License-Identifier: GPL-2.0-only
"""`networked_spread_v0`: two cooperating particles of mpe2 behind a network, as a board.

The card beside this file describes the differences from `networked_control_v0`.
"""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.envs.networked.baselines import SPREAD_BASELINES
from defiance_zoo.envs.networked.rendering import ObservedParticles
from defiance_zoo.envs.networked.specification import make_board

SPEC = make_board(
    "networked_spread_v0",
    "mpe2.simple_spread_v3:parallel_env",
    {"tick": "100ms", "plant_arguments": '{"N": 2}'},
    renderer=ObservedParticles(),
    baselines=SPREAD_BASELINES,
    leaderboard=Path(__file__).with_name("leaderboard_spread.yaml"),
    description="two particles that share landmarks, each with its agent behind a network",
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
