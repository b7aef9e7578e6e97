# SPDX-License-Identifier: GPL-2.0-only
"""The observation of an agent before its first one."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.bridge.codec import Space


def placeholder_observation(space: Space) -> Any:
    """Return the value of `space` that is closest to zero; texts are as short as allowed.

    Arrays are read-only, like those of other observations.
    """
    placeholder = _find_placeholder(space)
    if isinstance(placeholder, np.ndarray):
        placeholder.flags.writeable = False
    return placeholder


def _find_placeholder(space: Space) -> Any:
    match space:
        case spaces.Box():
            return np.asarray(np.clip(np.zeros(space.shape, space.dtype), space.low, space.high))
        case spaces.Discrete():
            return np.int64(min(max(0, space.start), space.start + space.n - 1))
        case spaces.MultiDiscrete():
            return np.clip(0, space.start, space.start + space.nvec - 1).astype(np.int64)
        case spaces.MultiBinary():
            return np.zeros(space.shape, np.int8)
        case spaces.Text():
            return space.character_list[0] * space.min_length if space.min_length else ""
        case spaces.Tuple():
            return tuple(placeholder_observation(each) for each in space.spaces)
        case spaces.Dict():
            return {key: placeholder_observation(each) for key, each in space.spaces.items()}
    raise TypeError(f"{type(space).__name__} is not a space of the protocol")
