# SPDX-License-Identifier: GPL-2.0-only
"""Selection of the actions to try, if there are too many."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete

from defiance_zoo.bridge.codec.masks import Mask, allows, list_allowed, sample
from defiance_zoo.bridge.codec.spaces import Space


def propose(space: Space, limit: int, mask: Mask | None = None) -> list[Any]:
    """Return representative actions of a space, always in the same order.

    These are all actions of a `Discrete` space, and of a `MultiDiscrete` or `MultiBinary` space
    with at most `limit` actions. For a bounded `Box` of one number, they are `limit` numbers at
    equal distances, both bounds included. For other spaces, they are `limit` samples from the
    space's generator.

    Args:
        space: The action space; actions of a `Box` have its dtype and shape.
        limit: Maximum number of actions; at least 2.
        mask: The agent's mask, from `read_mask()`. Forbidden actions are left out, and do not count
            towards the limit.
    """
    if isinstance(space, Discrete):
        first = int(space.start)
        return [first + n for n in range(int(space.n)) if mask is None or mask[n]]
    if mask is not None:
        values = list_allowed(space, mask)
        if math.prod(map(len, values)) <= limit:
            every = itertools.product(*values)
            return [np.array(each, space.dtype).reshape(space.shape or ()) for each in every]
        return [sample(space, mask) for _ in range(limit)]
    if isinstance(space, Box) and space.shape in ((), (1,)) and space.is_bounded():
        return _grid(space, limit)
    if isinstance(space, MultiDiscrete) and space.nvec.ndim == 1:
        if math.prod(map(int, space.nvec)) <= limit:
            return _combinations(space)
    elif isinstance(space, MultiBinary):
        count = math.prod(space.shape)
        if 2**count <= limit:
            every = itertools.product((0, 1), repeat=count)
            return [np.array(each, space.dtype).reshape(space.shape) for each in every]
    return [space.sample() for _ in range(limit)]


def _grid(space: Box, limit: int) -> list[Any]:
    low, high = float(space.low.min()), float(space.high.max())
    numbers = np.linspace(low, high, limit)
    if np.issubdtype(space.dtype, np.integer):
        numbers = np.unique(np.rint(numbers))
    return [np.full(space.shape, number, space.dtype) for number in numbers]


def _combinations(space: MultiDiscrete) -> list[Any]:
    values = [
        range(int(first), int(first) + int(count))
        for first, count in zip(space.start, space.nvec, strict=True)
    ]
    return [np.array(each, space.dtype) for each in itertools.product(*values)]


def is_allowed(space: Space, action: Any, mask: Mask | None = None) -> bool:
    """Return whether an action is in a space and allowed by a checked mask."""
    return bool(space.contains(action)) and (mask is None or allows(space, mask, action))


def find(action: Any, actions: Sequence[Any]) -> int | None:
    """Return the index of an action among others; None if it is missing."""
    for number, each in enumerate(actions):
        if np.array_equal(each, action):
            return number
    return None
