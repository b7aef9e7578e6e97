# SPDX-License-Identifier: GPL-2.0-only
"""Actions in SB3's form, with choices counted from 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from defiance_zoo.errors import InvalidAction

Space = spaces.Space[Any]


class ZeroBasedDiscrete(spaces.Discrete[Any]):
    """The choices of a `Discrete` space, counted from 0."""

    def __init__(self, origin: spaces.Discrete[Any]) -> None:
        super().__init__(int(origin.n))
        self.origin = origin


class ZeroBasedMultiDiscrete(spaces.MultiDiscrete):
    """The choices of a `MultiDiscrete` space, counted from 0."""

    def __init__(self, origin: spaces.MultiDiscrete) -> None:
        super().__init__(origin.nvec)
        self.origin = origin


def zero_based(space: Space) -> Space:
    """Return SB3's space for an agent's actions, which is usually the agent's space."""
    if isinstance(space, spaces.Discrete) and space.start != 0:
        return ZeroBasedDiscrete(space)
    if isinstance(space, spaces.MultiDiscrete) and np.any(space.start):
        return ZeroBasedMultiDiscrete(space)
    return space


def origin_of(space: Space) -> Space:
    """Return the agent's space for SB3's: a result of `zero_based()`, or of transposed images."""
    return getattr(space, "origin", space)


def start_of(space: Space) -> Any:
    """Return the agent's first choices, which SB3 counts as 0."""
    return getattr(origin_of(space), "start", 0)


def to_agent(space: Space, actions: Any) -> NDArray[Any]:
    """Convert SB3's actions to the agent's."""
    try:
        chosen: NDArray[Any] = np.asarray(actions) + start_of(space)
    except TypeError:
        raise InvalidAction(f"{actions!r} is not an array of actions") from None
    return chosen
