# SPDX-License-Identifier: GPL-2.0-only
"""Conversion of values to JSON, and of actions back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.bridge.codec import Space

_PLAIN = frozenset((str, int, bool, type(None)))


def to_plain(value: Any) -> Any:
    """Return a value in the form that it has after writing and reading JSON.

    Arrays and tuples become lists, and numbers that are not finite become None.
    """
    if type(value) in _PLAIN:  # true for most infos
        return value
    if isinstance(value, np.ndarray | np.generic):
        plain = value.tolist()
        return plain if value.dtype.kind in "biu" else to_plain(plain)
    if isinstance(value, Mapping):
        return {str(key): to_plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def from_plain(space: Space, value: Any) -> Any:
    """Return a value of a space from the result of `to_plain()`; invalid values are unchanged."""
    if isinstance(space, spaces.Dict) and isinstance(value, dict):
        return {
            key: from_plain(space[key], each) for key, each in value.items() if key in space.spaces
        }
    if isinstance(space, spaces.Tuple) and isinstance(value, list):
        return tuple(from_plain(each, part) for each, part in zip(space, value, strict=False))
    if isinstance(value, list):
        return np.array(value, space.dtype)
    return value
