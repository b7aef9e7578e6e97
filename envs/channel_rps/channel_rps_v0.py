# SPDX-License-Identifier: GPL-2.0-only
"""`channel_rps_v0`: two links with cyclic interference, as in rock, paper, scissors.

`card.md` describes network, observations, rewards and ends.
"""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.envs.channel_rps.baselines import BASELINES
from defiance_zoo.envs.radio.rendering import WaterfallRenderer

SPEC = EnvironmentSpec(
    name="channel_rps_v0",
    scenario=Scenario.of_environment("channel_rps_v0", "channel_rps"),
    renderer=WaterfallRenderer(),
    baselines=BASELINES,
    description="Two links whose settings interfere in a cycle: a zero-sum game",
    leaderboard=Path(__file__).with_name("leaderboard.yaml"),
    trained=Path(__file__).with_name("trained.onnx"),
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
