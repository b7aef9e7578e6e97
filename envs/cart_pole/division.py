# SPDX-License-Identifier: GPL-2.0-only
"""The central agent of several carts, as an agent for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.environments import Division
from defiance_zoo.envs.cart_pole.initial_state import STATE_SIZE


def divide_by_cart(
    observation_space: spaces.Space[Any], action_space: spaces.Space[Any]
) -> Division | None:
    """Divide the central agent; the agent of one cart stands for itself."""
    if not isinstance(action_space, spaces.MultiDiscrete):
        return None
    assert isinstance(observation_space, spaces.Box)  # as the card says
    carts = len(action_space.nvec)
    low, high = (bounds[:STATE_SIZE] for bounds in (observation_space.low, observation_space.high))

    def split(observation: Any) -> Sequence[Any]:
        return list(np.reshape(observation, (carts, STATE_SIZE)))

    return Division(
        agents=tuple(f"agent_{cart}" for cart in range(carts)),
        observation_space=spaces.Box(low, high, dtype=np.float32),
        action_space=spaces.Discrete(int(action_space.nvec[0])),
        split=split,
        join=lambda actions: np.array(actions, action_space.dtype),
    )
