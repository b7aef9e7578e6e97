# SPDX-License-Identifier: GPL-2.0-only
"""Agents that decide for several equal units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.bridge.codec.spaces import Space


@dataclass(frozen=True)
class Division:
    """The division of an agent that decides for several units into an agent for each.

    Attributes:
        agents: Names for the agents of the units.
        observation_space: Observation space of each of them.
        action_space: Action space of each of them.
        split: Splits the agent's observation into theirs, in the order of `agents`.
        join: Joins their actions into the agent's.
    """

    agents: tuple[str, ...]
    observation_space: Space
    action_space: Space
    split: Callable[[Any], Sequence[Any]]
    join: Callable[[Sequence[Any]], Any]


Divide = Callable[[Space, Space], Division | None]
"""Returns the division for an agent's observation and action space; None: the agent is one unit."""


def divide_by_device(observation_space: Space, action_space: Space) -> Division | None:
    """Divide an agent that decides for all devices (`placement="central"`).

    Args:
        observation_space: A box with equally many numbers for each device, one device after the
            other.
        action_space: A choice for each device, as `MultiDiscrete`, or a number for each, as a box.

    Returns:
        The division; None if the action space has another form, or is for one device.
    """
    shape = action_space.shape or ()
    if not isinstance(observation_space, spaces.Box) or len(shape) != 1:
        return None
    (devices,) = shape
    size, remainder = divmod(len(observation_space.low), devices)
    unit = _unit_action(action_space)
    if unit is None or remainder:
        return None
    low, high = observation_space.low[:size], observation_space.high[:size]

    def split(observation: Any) -> Sequence[Any]:
        return list(np.reshape(observation, (devices, size)))

    def join(actions: Sequence[Any]) -> Any:
        return np.array(actions, action_space.dtype).reshape(devices)

    return Division(
        agents=tuple(f"agent_{device}" for device in range(devices)),
        observation_space=spaces.Box(low, high, dtype=low.dtype.type),
        action_space=unit,
        split=split,
        join=join,
    )


def _unit_action(action_space: Space) -> Space | None:
    """Return the action space of one device; None if the space is for one device."""
    if isinstance(action_space, spaces.MultiDiscrete):
        return spaces.Discrete(int(action_space.nvec[0]))
    if isinstance(action_space, spaces.Box) and len(action_space.low) > 1:
        low, high = action_space.low[:1], action_space.high[:1]
        return spaces.Box(low, high, dtype=low.dtype.type)
    return None
