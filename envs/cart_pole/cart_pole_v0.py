# SPDX-License-Identifier: GPL-2.0-only
"""`cart_pole_v0`: cart-poles balanced by remote agents in a simulated network.

`card.md` describes network, observations, rewards and ends.
"""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, divide_by_device
from defiance_zoo.envs.cart_pole.baselines import pole_policy, state_feedback_policy
from defiance_zoo.envs.cart_pole.initial_state import translate_options
from defiance_zoo.envs.cart_pole.rendering import CartPoleRenderer

SPEC = EnvironmentSpec(
    name="cart_pole_v0",
    scenario=Scenario.of_environment("cart_pole_v0", "cart_pole", access=("wifi", "lte")),
    renderer=CartPoleRenderer(),
    translate_options=translate_options,
    baselines={"pole": pole_policy, "state_feedback": state_feedback_policy},
    divide=divide_by_device,
    description="cart-poles, each balanced by an agent elsewhere in the network, or by one for all",
    leaderboard=Path(__file__).with_name("leaderboard.yaml"),
    trained=Path(__file__).with_name("trained.onnx"),
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
