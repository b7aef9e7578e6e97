# SPDX-License-Identifier: GPL-2.0-only
"""`handover_v0`: LTE users that move, and agents that hand them over from cell to cell.

The card beside this file describes simulation, observations, rewards and the end of episodes.
"""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, divide_by_device
from defiance_zoo.envs.handover.baselines import BASELINES
from defiance_zoo.envs.handover.rendering import HandoverRenderer

SPEC = EnvironmentSpec(
    name="handover_v0",
    scenario=Scenario.of_environment("handover_v0", "handover"),
    renderer=HandoverRenderer(),
    baselines=BASELINES,
    divide=divide_by_device,
    common_reward=True,
    leaderboard=Path(__file__).with_name("leaderboard.yaml"),
    trained=Path(__file__).with_name("trained.onnx"),
    description="LTE users that move, and agents that hand them over from cell to cell",
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
