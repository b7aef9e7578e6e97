# SPDX-License-Identifier: GPL-2.0-only
"""`wifi_rate_control_v0`: Wi-Fi stations whose rates agents choose.

`card.md` describes network, observations, rewards and ends.
"""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, divide_by_device
from defiance_zoo.envs.wifi_rate_control.baselines import BASELINES
from defiance_zoo.envs.wifi_rate_control.rendering import WifiRateControlRenderer

SPEC = EnvironmentSpec(
    name="wifi_rate_control_v0",
    scenario=Scenario.of_environment("wifi_rate_control_v0", "wifi_rate_control"),
    renderer=WifiRateControlRenderer(),
    baselines=BASELINES,
    divide=divide_by_device,
    common_reward=True,
    description="Wi-Fi stations whose rates agents choose, for each frame or once in an interval",
    leaderboard=Path(__file__).with_name("leaderboard.yaml"),
    trained=Path(__file__).with_name("trained.onnx"),
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
