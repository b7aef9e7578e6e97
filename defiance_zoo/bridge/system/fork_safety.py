# SPDX-License-Identifier: GPL-2.0-only
"""Objects that a fork of this process must not keep, as they belong to the parent."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable
from typing import Protocol


class ProcessBound(Protocol):
    """An object that a fork inherits, and closes at once."""

    def disown(self) -> None:
        """In a fork, close descriptors and clear the state, without messages to other processes."""


_bound: weakref.WeakSet[ProcessBound] = weakref.WeakSet()


def not_for_forks(bound: ProcessBound) -> None:
    """Register an object to be disowned in each fork of this process, as long as it exists.

    If a fork kept a lifeline open, the simulation would not notice the end of this process;
    messages of the fork would seem to be this process's.
    """
    _bound.add(bound)


def close_quietly(descriptors: Iterable[int]) -> None:
    """Close descriptors, even if they are closed already."""
    for descriptor in descriptors:
        try:
            os.close(descriptor)
        except OSError:
            continue


def _disown_all() -> None:
    for bound in list(_bound):
        bound.disown()
    _bound.clear()


os.register_at_fork(after_in_child=_disown_all)
