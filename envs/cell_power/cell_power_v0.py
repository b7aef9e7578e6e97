# SPDX-License-Identifier: GPL-2.0-only
"""`cell_power_v0`: LTE cells on one carrier, whose transmit power agents choose.

`card.md` describes network, observations, rewards and ends.
"""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, divide_by_device
from defiance_zoo.envs.cell_power.baselines import BASELINES
from defiance_zoo.envs.cell_power.rendering import CellPowerRenderer

SPEC = EnvironmentSpec(
    name="cell_power_v0",
    scenario=Scenario.of_environment("cell_power_v0", "cell_power"),
    renderer=CellPowerRenderer(),
    baselines=BASELINES,
    divide=divide_by_device,
    common_reward=True,
    leaderboard=Path(__file__).with_name("leaderboard.yaml"),
    trained=Path(__file__).with_name("trained.onnx"),
    description="LTE cells that interfere with each other, and agents that choose their power",
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
