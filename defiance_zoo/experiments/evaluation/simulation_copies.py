# SPDX-License-Identifier: GPL-2.0-only
"""Trials of actions in copies of a running simulation."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

from defiance_zoo.environments import Snapshot


class Copyable(Protocol):
    """The environment methods that copies need."""

    def snapshot(self) -> Snapshot:
        """Return a snapshot."""

    def restore(self, snapshot: Snapshot, /) -> Any:
        """Return to a snapshot."""

    def branch(self, *, record: bool = True) -> Any:
        """Return an independent environment of the same kind in the same state."""

    def close(self) -> None:
        """End the environment's processes."""


_Choice = TypeVar("_Choice")
_Value = TypeVar("_Value")
_Env = TypeVar("_Env", bound=Copyable)


def try_each(
    env: _Env, choices: Iterable[_Choice], play: Callable[[_Env, _Choice], _Value]
) -> list[_Value]:
    """Play each choice in a copy of the simulation, from this instant; return the results.

    All trials begin in the same state and use the simulation's random numbers, so they differ only
    in the choice. The environment does not change, and the copy's processes always end. Trials are
    not recorded.

    Args:
        env: An AEC, parallel or Gymnasium environment in a running episode.
        choices: Values to try, such as actions or sequences of actions.
        play: Called with the copy in the current state, and a choice.

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
