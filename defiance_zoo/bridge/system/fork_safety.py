# SPDX-License-Identifier: GPL-2.0-only
"""Objects that a fork of this Python must not keep: they belong to the parent process."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable
from typing import Protocol


class ProcessBound(Protocol):
    """An object that a fork inherits, and closes at once."""

    def disown(self) -> None:
        """Close descriptors and forget, in a fork, without a word to any other process."""


_bound: weakref.WeakSet[ProcessBound] = weakref.WeakSet()


def not_for_forks(bound: ProcessBound) -> None:
    """Have something disowned in each fork of this process, as long as it exists.

    A simulation whose lifeline a fork kept open would not notice the end of this process, and one
    that a fork spoke to would take that for this process.
    """
    _bound.add(bound)


def close_quietly(descriptors: Iterable[int]) -> None:
    """Close descriptors, whatever has become of them."""
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
