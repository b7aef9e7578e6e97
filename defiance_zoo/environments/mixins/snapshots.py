# SPDX-License-Identifier: GPL-2.0-only
"""Snapshots of episodes, to return to and to branch from."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator
from types import TracebackType
from typing import Any, ClassVar, TypeVar

from defiance_zoo.bridge.simulation import FrozenSimulation, FrozenSimulations
from defiance_zoo.bridge.system.exclusive import USER, exclusive
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.environments.episodes.snapshot_point import SnapshotPoint
from defiance_zoo.environments.mixins.attribute_copies import recall, remember

_Env = TypeVar("_Env", bound="Snapshots")


class Snapshot:
    """A decision point of an episode, to which its environment can return any number of times.

    A snapshot holds a waiting process. `release()`, the end of a `with` block, garbage collection
    and the environment's `close()` end that process.

    Attributes:
        time_ns: Simulated time in nanoseconds.
    """

    def __init__(
        self,
        frozen: FrozenSimulation,
        owner: FrozenSimulations,
        time_ns: int,
        point: SnapshotPoint,
        attributes: dict[str, Any],
    ) -> None:
        """Take over a frozen simulation; `snapshot()` does this.

        Args:
            frozen: The simulation.
            owner: Takes the simulation back.
            time_ns: Simulated time in nanoseconds.
            point: State of the episode.
            attributes: The environment's changing attributes, at this instant.
        """
        self.time_ns = time_ns
        self._frozen, self._point, self._attributes = frozen, point, attributes
        self._finalizer = weakref.finalize(self, owner.release, frozen)

    @property
    def released(self) -> bool:
        """Whether it has been released and cannot be restored."""
        return self._frozen.released

    def release(self) -> None:
        """End the process of the snapshot; may be called again."""
        self._finalizer()

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()

    def __repr__(self) -> str:
        released = ", released" if self.released else ""
        return f"<Snapshot at {self.time_ns / 1e9:.9f} s{released}>"


class Snapshots:
    """Snapshots and branches, the same in every interface."""

    _episodes: Episodes
    _STATE: ClassVar[tuple[str, ...]]
    """Names of the attributes that change during an episode."""

    @exclusive
    def snapshot(self) -> Snapshot:
        """Keep this decision point, so that `restore()` can return to it.

        The simulation continues; a copy of its process waits, and shares its memory until
        one of them changes it.

        Raises:
            ResetNeeded: No episode is running.
            TooManySnapshots: There are `max_snapshots` already.
            SnapshotRefused: The simulation cannot be copied.
            SimulationError: The simulation failed.
        """
        with self._breaking_off():
            frozen, point = self._episodes.freeze()
        owner, time_ns = self._episodes.slot.frozen, self._episodes.time_ns
        return Snapshot(frozen, owner, time_ns, point, remember(self, self._STATE))

    @exclusive
    def branch(self: _Env, *, record: bool = True) -> _Env:
        """Return an independent environment in the state of this one.

        It has its own processes and spaces, is closed separately, and has the same kind and
        arguments. Its `reset()` starts episodes like a new environment's. Until that `reset()`, its
        simulation's output to files that are open now is lost.

        Args:
            record: Whether the branch is recorded if this environment is: this episode, as a
                separate one with the same beginning, and later ones. Pass False for trials.

        Raises:
            ResetNeeded: No episode is running.
            SnapshotRefused: The simulation cannot be copied.
            SimulationError: The simulation failed.
        """
        with self._breaking_off():
            episodes = self._episodes.branch(record=record)
        other = type(self).__new__(type(self))
        vars(other).update(vars(self))
        vars(other).pop(USER, None)  # the running call belongs to `self`
        recall(other, remember(self, self._STATE))
        other._episodes = episodes
        return other

    def _return_to(self, snapshot: Snapshot) -> None:
        """Return the environment to a snapshot.

        Raises:
            InvalidSnapshot: The snapshot was released, or belongs to another environment; nothing
                has changed.
            SnapshotLost: Its process has ended.
            SimulationError: The restored simulation failed.
        """
        with self._breaking_off():
            self._episodes.restore(snapshot._frozen, snapshot._point)
        recall(self, snapshot._attributes)

    @contextlib.contextmanager
    def _breaking_off(self) -> Iterator[None]:
        """Leave the episode if a failure inside ends it; only `reset()` continues then."""
        try:
            yield
        except BaseException:
            if self._episodes.round is None:
                self._break_off()
            raise

    def _break_off(self) -> None:
        """Leave the episode, whose simulation has ended."""
