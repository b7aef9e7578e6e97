# SPDX-License-Identifier: GPL-2.0-only
"""The running replica, for code under test that uses time, random numbers and files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from defiance_zoo.scenario.replicas.replica import Replica
from defiance_zoo.scenario.replicas.stage import now

_METHODS = ("recover", "forget", "tick", "submit", "message", "state")


class Running:
    """The running replica; None: none runs, and nothing is virtual."""

    process: Replica | None = None


def enter_when_called(process: Replica) -> None:
    """Mark the replica as running during the start and the methods of a process."""
    for name in _METHODS:
        setattr(process, name, _entering(process, getattr(process, name)))


def _entering(process: Replica, method: Callable[..., Any]) -> Callable[..., Any]:
    def enter(*arguments: Any) -> Any:
        before, Running.process = Running.process, process
        try:
            return method(*arguments)
        finally:
            Running.process = before

    return enter


def clock(process: Replica) -> float:
    """Return the time of a replica's clock, in seconds: a replica that slept is ahead."""
    return max(now(), process._awake)


def sleep(process: Replica, seconds: float) -> None:
    """Advance the clock of a replica."""
    process._awake = clock(process) + seconds
