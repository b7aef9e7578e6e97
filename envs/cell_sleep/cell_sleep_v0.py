# SPDX-License-Identifier: GPL-2.0-only
"""`cell_sleep_v0`: agents that put LTE cells to sleep, and wake them.

`card.md` describes network, observations, rewards and ends.
"""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, divide_by_device
from defiance_zoo.envs.cell_sleep.baselines import BASELINES
from defiance_zoo.envs.cell_sleep.rendering import CellSleepRenderer

SPEC = EnvironmentSpec(
    name="cell_sleep_v0",
    scenario=Scenario.python(
        "cell_sleep_v0",
        "scenario.py",
        defaults={"placement": "central", "duration": "24s"},
    ),
    renderer=CellSleepRenderer(),
    baselines=BASELINES,
    divide=divide_by_device,
    common_reward=True,
    description="LTE cells that sleep while traffic is low: served traffic, less a price of energy",
    leaderboard=Path(__file__).with_name("leaderboard.yaml"),
    trained=Path(__file__).with_name("trained.onnx"),
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
