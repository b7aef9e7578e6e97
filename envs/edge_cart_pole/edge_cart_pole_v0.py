# SPDX-License-Identifier: GPL-2.0-only
"""`edge_cart_pole_v0`: cart-poles drive past edge nodes, and their agents may move along.

`card.md` describes network, observations, rewards and ends.
"""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.envs.cart_pole.initial_state import translate_options
from defiance_zoo.envs.edge_cart_pole.baselines import pole_policy, state_feedback_policy
from defiance_zoo.envs.edge_cart_pole.rendering import EdgeCartPoleRenderer

SPEC = EnvironmentSpec(
    name="edge_cart_pole_v0",
    scenario=Scenario.of_environment("edge_cart_pole_v0", "edge_cart_pole"),
    renderer=EdgeCartPoleRenderer(),
    translate_options=translate_options,
    baselines={"pole": pole_policy, "state_feedback": state_feedback_policy},
    description="cart-poles that drive past edge nodes, where their agents stay or move along",
    leaderboard=Path(__file__).with_name("leaderboard.yaml"),
    trained=Path(__file__).with_name("trained.onnx"),
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
