# SPDX-License-Identifier: GPL-2.0-only
"""Which actions are tried, where not all can be."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete

from defiance_zoo.codec.spaces import Space


def propose(space: Space, limit: int, mask: Any = None) -> list[Any]:
    """Return actions of a space that stand for all of them, in an order that is always the same.

    These are all actions of a `Discrete` space; all of `MultiDiscrete` and `MultiBinary` spaces
    that have no more than `limit`; and of a bounded `Box` of one number, `limit` numbers at equal
    distances, both bounds included. Of any other space they are `limit` samples, which depend on
    the generator of the space.

    Args:
        space: Of actions; those of `Box` have its dtype and shape.
        limit: At least 2.
        mask: As Gymnasium's `sample()` takes it: actions that it forbids are left out.
    """
    if isinstance(space, Discrete):
        first = int(space.start)
        return [first + n for n in range(int(space.n)) if mask is None or mask[n]]
    if isinstance(space, Box) and space.shape in ((), (1,)) and space.is_bounded():
        return _grid(space, limit)
    if isinstance(space, MultiDiscrete) and space.nvec.ndim == 1:
        if math.prod(map(int, space.nvec)) <= limit:
            return _combinations(space, mask)
    elif isinstance(space, MultiBinary) and mask is None:
        count = math.prod(space.shape)
        if 2**count <= limit:
            every = itertools.product((0, 1), repeat=count)
            return [np.array(each, space.dtype).reshape(space.shape) for each in every]
    return [space.sample(*([] if mask is None else [mask])) for _ in range(limit)]


def _grid(space: Box, limit: int) -> list[Any]:
    low, high = float(space.low.min()), float(space.high.max())
    numbers = np.linspace(low, high, limit)
    if np.issubdtype(space.dtype, np.integer):
        numbers = np.unique(np.rint(numbers))
    return [np.full(space.shape, number, space.dtype) for number in numbers]


def _combinations(space: MultiDiscrete, mask: Any) -> list[Any]:
    allowed = [
        [int(first) + n for n in range(int(count)) if mask is None or mask[place][n]]
        for place, (first, count) in enumerate(zip(space.start, space.nvec, strict=True))
    ]
    return [np.array(each, space.dtype) for each in itertools.product(*allowed)]


def is_allowed(space: Space, action: Any, mask: Any = None) -> bool:
    """Whether an action is in a space, and a mask of a `Discrete` or `MultiDiscrete` allows it."""
    if not space.contains(action):
        return False
    if mask is None:
        return True
    if isinstance(space, Discrete):
        return bool(mask[int(action) - int(space.start)])
    if isinstance(space, MultiDiscrete) and space.nvec.ndim == 1:
        parts: Sequence[tuple[Any, Any]] = list(zip(mask, action - space.start, strict=True))
        return all(bool(each[int(value)]) for each, value in parts)
    return True


def find(action: Any, actions: Sequence[Any]) -> int | None:
    """Return where an action stands among others; None if it does not."""
    for number, each in enumerate(actions):
        if np.array_equal(each, action):
            return number
    return None
