# SPDX-License-Identifier: GPL-2.0-only
"""Callers that give fresh values, and callers that reuse buffers and overwrite all they receive."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from defiance_zoo.environments.testing import exact

KINDS = ["every", "discrete", "matrix", "multi_binary", "nested", "text", "wide"]
"""Kinds of the spaces of the case `echo`, whose agents observe their last action."""

EPISODE = {"scenario_case": "echo", "max_cycles": 4, "link": "local"}


class Caller:
    """Gives actions to an environment, and takes its results.

    Attributes:
        taken: Everything that was taken, in a form that compares exactly.
    """

    def __init__(self, *, reuses: bool) -> None:
        """Give fresh values; or give buffers, and overwrite buffers and results after use."""
        self._reuses, self._buffers = reuses, dict[str, Any]()
        self.taken: list[Any] = []

    def give(self, action: Any, kind: str = "") -> Any:
        """Return an action, in the buffer for actions of its kind if buffers are reused."""
        if not self._reuses:
            return copy.deepcopy(action)
        buffer = self._buffers.setdefault(kind, _make_buffer(action))
        self._buffers[kind] = _fill(buffer, action)
        return self._buffers[kind]

    def take(self, result: Any) -> None:
        """Note a result, or the absence of one, after a call with a buffer."""
        self.taken.append(exact(result))
        if self._reuses:
            overwrite(result)
            overwrite(self._buffers, entries=False)


def compare_callers(play: Callable[[Caller], None]) -> list[Any]:
    """Play with both callers, compare what they take, and return it."""
    fresh, reusing = Caller(reuses=False), Caller(reuses=True)
    play(fresh)
    play(reusing)
    assert reusing.taken == fresh.taken
    return fresh.taken


def draw_actions(space: Any, count: int) -> Iterator[Any]:
    """Yield different actions, always the same ones."""
    space.seed(1)
    for _ in range(count):
        yield space.sample()


def overwrite(value: Any, *, entries: bool = True) -> None:
    """Overwrite what a caller can overwrite in a value.

    Args:
        value: The value.
        entries: Whether the entries of dicts are replaced, and not only what they hold.
    """
    if isinstance(value, np.ndarray):
        if value.dtype == np.object_:
            for each in value.flat:
                overwrite(each)
        if value.flags.writeable:
            value.fill(None if value.dtype == np.object_ else 99)
    elif isinstance(value, list | tuple):
        for each in value:
            overwrite(each, entries=entries)
    elif isinstance(value, dict):
        for each in value.values():
            overwrite(each, entries=entries)
        if entries:
            value.update(dict.fromkeys(value, "overwritten"))


def _make_buffer(action: Any) -> Any:
    if isinstance(action, dict):
        return {key: _make_buffer(part) for key, part in action.items()}
    if isinstance(action, tuple):
        return [_make_buffer(part) for part in action]
    return action if isinstance(action, str) else np.array(action)


def _fill(buffer: Any, action: Any) -> Any:
    """Write an action into a buffer, and return it; texts are replaced."""
    if isinstance(buffer, dict):
        buffer.update({key: _fill(buffer[key], part) for key, part in action.items()})
    elif isinstance(buffer, list):
        buffer[:] = [_fill(part, each) for part, each in zip(buffer, action, strict=True)]
    elif isinstance(buffer, np.ndarray):
        buffer[...] = action
    else:
        return action
    return buffer
