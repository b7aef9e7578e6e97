# SPDX-License-Identifier: GPL-2.0-only
"""`wifi_contention_v0`: saturated Wi-Fi stations whose contention windows agents choose.

`card.md` describes network, observations, rewards and ends.
"""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.envs.wifi_contention.baselines import BASELINES
from defiance_zoo.envs.wifi_contention.rendering import WifiContentionRenderer

SPEC = EnvironmentSpec(
    name="wifi_contention_v0",
    scenario=Scenario.of_environment("wifi_contention_v0", "wifi_contention"),
    renderer=WifiContentionRenderer(),
    baselines=BASELINES,
    description="Wi-Fi stations that contend, and agents that choose their contention windows",
    leaderboard=Path(__file__).with_name("leaderboard.yaml"),
    trained=Path(__file__).with_name("trained.onnx"),
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
