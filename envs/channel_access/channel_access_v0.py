# SPDX-License-Identifier: GPL-2.0-only
"""`channel_access_v0`: radios that choose a channel for each slot, with an interferer.

`card.md` describes network, observations, rewards and ends.
"""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, divide_by_device
from defiance_zoo.envs.channel_access.baselines import BASELINES
from defiance_zoo.envs.radio.rendering import WaterfallRenderer

SPEC = EnvironmentSpec(
    name="channel_access_v0",
    scenario=Scenario.of_environment("channel_access_v0", "channel_access"),
    renderer=WaterfallRenderer(),
    baselines=BASELINES,
    divide=divide_by_device,
    common_reward=True,
    description="Radios that choose a channel for each slot, with an interferer and each other",
    leaderboard=Path(__file__).with_name("leaderboard.yaml"),
    trained=Path(__file__).with_name("trained.onnx"),
    graphs={"skip_after_loss": "defiance_zoo.envs.channel_access.graphs:SkipAfterLoss"},
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
