# SPDX-License-Identifier: GPL-2.0-only
"""`cart_pole_v0`: cart-poles balanced by agents elsewhere in a simulated network.

The card beside this file says what is simulated, observed, rewarded and ended.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from defiance_zoo.environments import (
    EnvironmentSpec,
    SimulationAECEnv,
    SimulationParallelEnv,
)
from defiance_zoo.envs.cart_pole.baselines import pole_policy, state_feedback_policy
from defiance_zoo.envs.cart_pole.division import divide_by_cart
from defiance_zoo.envs.cart_pole.initial_state import translate_options
from defiance_zoo.envs.cart_pole.rendering import CartPoleRenderer
from defiance_zoo.simulation import Scenario

SPEC = EnvironmentSpec(
    name="cart_pole_v0",
    scenario=Scenario(
        "cart_pole_v0",
        "cart_pole",
        variants={"access": {"wifi": "cart_pole_wifi", "lte": "cart_pole_lte"}},
    ),
    renderer=CartPoleRenderer(),
    translate_options=translate_options,
    baselines={"pole": pole_policy, "state_feedback": state_feedback_policy},
    divide=divide_by_cart,
)


def env(**arguments: Any) -> AECEnv[str, Any, Any]:
    """Return the AEC environment in PettingZoo's usual wrappers.

    Args:
        **arguments: See the card.

    Raises:
        ParameterError: An argument is unknown or not allowed.
    """
    return SPEC.env(**arguments)


def raw_env(**arguments: Any) -> SimulationAECEnv:
    """Return the AEC environment without wrappers; arguments and errors as for `env`."""
    return SPEC.raw_env(**arguments)


def parallel_env(**arguments: Any) -> SimulationParallelEnv:
    """Return the parallel environment; arguments and errors as for `env`."""
    return SPEC.parallel_env(**arguments)
