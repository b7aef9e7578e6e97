# SPDX-License-Identifier: GPL-2.0-only
"""Trials of actions in copies of a running simulation."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

from defiance_zoo.environments import Snapshot


class Copyable(Protocol):
    """An environment of any interface, as far as it is copied here."""

    def snapshot(self) -> Snapshot:
        """Keep this decision point."""

    def restore(self, snapshot: Snapshot, /) -> Any:
        """Stand again where it stood at a snapshot."""

    def branch(self, *, record: bool = True) -> Any:
        """Return an independent environment of the same kind that stands at the same point."""

    def close(self) -> None:
        """End its processes."""


_Choice = TypeVar("_Choice")
_Value = TypeVar("_Value")
_Env = TypeVar("_Env", bound=Copyable)


def try_each(
    env: _Env, choices: Iterable[_Choice], play: Callable[[_Env, _Choice], _Value]
) -> list[_Value]:
    """Play each choice from this instant on, in a copy of the simulation; return what comes of it.

    All begin in the same state and meet the same random numbers, those that the simulation itself
    will meet: what they differ in comes of the choice alone. The environment stays as it is, and
    whatever happens, no process of the copy is left. Where episodes are recorded, trials are not.

    Args:
        env: An AEC, parallel or Gymnasium environment in a running episode.
        choices: Things to try, such as actions or sequences of them.
        play: Called with the copy, as it stands now, and a choice.

    Raises:
        ResetNeeded: No episode is running.
        SnapshotError: The simulation cannot be copied.
        SimulationError: A simulation failed.
    """
    values = []
    trial: _Env
    with contextlib.closing(env.branch(record=False)) as trial, trial.snapshot() as now:
        for number, choice in enumerate(choices):
            if number:
                trial.restore(now)
            values.append(play(trial, choice))
    return values
