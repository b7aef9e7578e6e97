# SPDX-License-Identifier: GPL-2.0-only
"""Attributes of an object that change during an episode: copied, and restored."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any


def remember(owner: object, names: Iterable[str]) -> dict[str, Any]:
    """Return copies of the named attributes that exist."""
    own = vars(owner)
    return {name: _copy(own[name]) for name in names if name in own}


def recall(owner: object, state: Mapping[str, Any]) -> None:
    """Restore attributes from copies, any number of times."""
    for name, value in state.items():
        setattr(owner, name, _copy(value))


def _copy(value: Any) -> Any:
    """Copy containers, which environments change in place; observations are never changed."""
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, list | deque | set):
        return type(value)(_copy(item) for item in value)
    return value
