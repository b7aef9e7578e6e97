# SPDX-License-Identifier: GPL-2.0-only
"""Objects that one thread at a time may use, and that forks of this process must not keep."""

from __future__ import annotations

import functools
import os
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from defiance_zoo.errors import ConcurrentUse


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


USER = "_user"
"""The attribute for thread and process of the running call."""

_P = ParamSpec("_P")
_Self = TypeVar("_Self")
_Result = TypeVar("_Result")


def exclusive(
    method: Callable[Concatenate[_Self, _P], _Result],
) -> Callable[Concatenate[_Self, _P], _Result]:
    """Return a method that raises while another thread runs such a method of the object.

    The methods may call each other, and threads may take turns. A fork of Python does not inherit
    its parent's running call.
    """

    @functools.wraps(method)
    def call(self: _Self, /, *args: _P.args, **kwargs: _P.kwargs) -> _Result:
        attributes: dict[str, Any] = vars(self)
        mine = (threading.get_ident(), os.getpid())
        user = attributes.setdefault(USER, mine)  # one operation: no other thread can interrupt it
        if user is not mine:
            if user == mine:
                return method(self, *args, **kwargs)
            if user[1] == mine[1]:
                name = method.__name__.lstrip("_")
                raise ConcurrentUse(
                    f"{type(self).__name__}.{name}() was called while another thread uses this "
                    "environment; one thread at a time may use an environment: make one for each "
                    "thread, or put a lock around each call"
                )
            attributes[USER] = mine
        try:
            return method(self, *args, **kwargs)
        finally:
            attributes.pop(USER, None)

    return call
