# SPDX-License-Identifier: GPL-2.0-only
"""Attributes of an object that change during an episode: copied, and restored."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

_SEQUENCES = (tuple, list, deque, set)  # without named tuples, which are facts of the package


def remember(owner: object, names: Iterable[str]) -> dict[str, Any]:
    """Return copies of the named attributes that exist."""
    return {name: copy_containers(getattr(owner, name)) for name in names if hasattr(owner, name)}


def recall(owner: object, state: Mapping[str, Any]) -> None:
    """Restore attributes from copies, any number of times."""
    for name, value in state.items():
        setattr(owner, name, copy_containers(value))


def copy_containers(value: Any) -> Any:
    """Return a value with new dicts, lists and tuples; arrays are read-only, and shared.

    Environments return observations and infos as such copies: a caller that changes a received dict
    does not change later results.
    """
    if isinstance(value, np.ndarray):  # most observations, at each step
        return value
    if isinstance(value, dict):
        return type(value)({key: copy_containers(item) for key, item in value.items()})
    if type(value) in _SEQUENCES:
        return type(value)(map(copy_containers, value))
    return copy.deepcopy(value) if isinstance(value, np.random.Generator) else value
