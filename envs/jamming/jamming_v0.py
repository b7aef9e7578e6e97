# SPDX-License-Identifier: GPL-2.0-only
"""`jamming_v0`: a transmitter and a jammer that choose channels at the same time.

`card.md` describes network, observations, rewards and ends.
"""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.envs.jamming.baselines import BASELINES
from defiance_zoo.envs.radio.rendering import WaterfallRenderer

SPEC = EnvironmentSpec(
    name="jamming_v0",
    scenario=Scenario.of_environment("jamming_v0", "jamming"),
    renderer=WaterfallRenderer(),
    baselines=BASELINES,
    description="A transmitter and a jammer that choose channels at the same time: a zero-sum game",
    leaderboard=Path(__file__).with_name("leaderboard.yaml"),
    trained=Path(__file__).with_name("trained.onnx"),
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
