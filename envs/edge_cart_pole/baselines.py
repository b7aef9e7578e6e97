# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written policies for comparison: cart_pole's, at the edge node of the cart."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.envs.cart_pole import baselines
from defiance_zoo.envs.cart_pole.baselines import Policy
from defiance_zoo.envs.cart_pole.initial_state import STATE_SIZE


def pole_policy(action_space: spaces.Space[Any]) -> Policy:
    """Return cart_pole's `pole_policy`, which moves with its cart if it can."""
    return _along(action_space, baselines.pole_policy(spaces.Discrete(2)))


def state_feedback_policy(action_space: spaces.Space[Any]) -> Policy:
    """Return cart_pole's `state_feedback_policy`, which moves with its cart if it can."""
    return _along(action_space, baselines.state_feedback_policy(spaces.Discrete(2)))


def _along(action_space: spaces.Space[Any], push: Policy) -> Policy:
    if isinstance(action_space, spaces.Discrete):
        return push

    def act(observation: Any) -> Any:
        state, (_own, of_cart) = np.split(np.asarray(observation), [STATE_SIZE])
        return np.array([push(state), of_cart], np.int64)

    return act
