# SPDX-License-Identifier: GPL-2.0-only
"""`multi_access_v0`: agents that split traffic to users over Wi-Fi and LTE.

`card.md` describes network, observations, rewards and ends.
"""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, divide_by_device
from defiance_zoo.envs.multi_access.baselines import BASELINES
from defiance_zoo.envs.multi_access.rendering import MultiAccessRenderer

SPEC = EnvironmentSpec(
    name="multi_access_v0",
    scenario=Scenario.python(
        "multi_access_v0",
        "scenario.py",
        defaults={"placement": "local", "duration": "20s"},
    ),
    renderer=MultiAccessRenderer(),
    baselines=BASELINES,
    divide=divide_by_device,
    description="traffic to users that is split over Wi-Fi and LTE: throughput, less delay",
    leaderboard=Path(__file__).with_name("leaderboard.yaml"),
    trained=Path(__file__).with_name("trained.onnx"),
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
