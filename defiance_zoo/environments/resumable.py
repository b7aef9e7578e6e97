# SPDX-License-Identifier: GPL-2.0-only
"""Episodes whose simulation can be copied at a round, and restored there."""

from __future__ import annotations

import abc
import contextlib
import copy
import weakref
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, TypeVar

from defiance_zoo.environments.state import recall, remember
from defiance_zoo.errors import InheritedEpisode, SnapshotError
from defiance_zoo.simulation import (
    Agent,
    AnyLink,
    FrozenSimulation,
    FrozenSimulations,
    Launcher,
    RngState,
    Round,
    Simulation,
    not_for_forks,
)

_Episodes = TypeVar("_Episodes", bound="Resumable")


class Resumable(abc.ABC):
    """The side of `Episodes` that copies and restores simulations.

    Attributes:
        round: The last round that the simulation told.
    """

    _STATE: ClassVar[tuple[str, ...]] = (
        "live",
        "round",
        "_groups",
        "_novices",
        "_decisions",
        "_checked",
    )
    _agents: dict[str, Agent]
    _finalizer: Any
    _launcher: Launcher
    _simulation: Simulation | None
    _starting: Simulation | None
    _inherited = False
    round: Round | None

    def __init__(self) -> None:
        """Belong to this process, and not to its forks."""
        not_for_forks(self)

    @property
    def running(self) -> bool:
        """Whether an episode goes on, or has ended in order."""
        return self.round is not None

    @property
    def time_ns(self) -> int:
        """Simulated time of the current round in nanoseconds; 0 before the first one."""
        return self.round.time_ns if self.round is not None else 0

    @property
    def rng(self) -> RngState | None:
        """Seed and run of the current episode, or of the last one; None before the first one."""
        return self._launcher.rng

    def return_to(self, rng: RngState, *, again: bool) -> None:
        """Stand at an episode that was played before, or, to play it `again`, just before it."""
        self._launcher.return_to(rng, again=again)

    def disown(self) -> None:
        """See `Heirloom`; only `begin()` goes on from here."""
        self._inherited = self._simulation is not None or self._starting is not None
        self._simulation = self._starting = None

    def require_own(self) -> None:
        """Refuse to go on with an episode that another process plays.

        Raises:
            InheritedEpisode: This process is a fork of that one.
        """
        if self._inherited:
            raise InheritedEpisode(
                "the process that this one was forked from plays this episode: call reset() for "
                "one of this process's own"
            )

    def share(self, link: AnyLink) -> None:
        """Use a link from here on, where the one that was shared belongs to another process."""
        self._launcher.share(link)

    def leave(self) -> None:
        """Have the simulation end in order, without waiting for that; the episode is over."""
        self._launcher.leave()

    @property
    def frozen(self) -> FrozenSimulations:
        """Copies of simulations, made by `freeze()`."""
        return self._launcher.frozen

    def state(self) -> dict[str, Any]:
        """Return what `restore()` takes beside a copy of the simulation."""
        return remember(self, self._STATE)

    def freeze(self) -> FrozenSimulation:
        """Copy the simulation at the current round.

        Raises:
            ResetNeeded: No episode is running.
            SnapshotError: It cannot be copied; it goes on unharmed.
            SimulationError: The simulation failed; `begin()` starts a new one.
        """
        self._running()
        with self._breaking_off():
            return self._launcher.snapshot()

    def restore(self, frozen: FrozenSimulation, state: Mapping[str, Any]) -> None:
        """End the current simulation, and return to a round.

        Args:
            frozen: A copy of the simulation, made there.
            state: What `state()` returned there.

        Raises:
            InvalidSnapshot: The copy was released, or made by others; nothing has changed.
            SnapshotLost: The copy has ended.
            TooFewDescriptors: Nothing has changed.
            SimulationError: The restored simulation failed; `begin()` starts a new one.
        """
        self._require_open()
        self.require_own()
        self.frozen.require_usable(frozen)
        self._launcher.require_room()
        try:
            simulation = self._launcher.restore(frozen)
        except BaseException:
            self._break_off()  # the simulation has ended already, also where the copy is lost now
            raise
        self._agents.update(simulation.agents)
        recall(self, state)
        self._simulation = simulation

    def branch(self: _Episodes) -> _Episodes:
        """Return others that stand at the same round, with a simulation of their own.

        Raises:
            ResetNeeded: No episode is running.
            SnapshotRefused: The simulation cannot be copied; it goes on unharmed.
            SimulationError: A simulation failed; `begin()` starts a new one.
        """
        self._running()
        other = copy.copy(self)
        not_for_forks(other)
        memo: dict[int, Any] = {}
        with self._breaking_off():
            other._launcher, other._simulation = self._launcher.branch(memo)
        other._finalizer = weakref.finalize(other, Launcher.close, other._launcher)
        other._agents = copy.deepcopy(self._agents, memo)
        recall(other, self.state())
        return other

    @contextlib.contextmanager
    def _breaking_off(self) -> Iterator[None]:
        """End the simulation, unless it has refused something."""
        try:
            yield
        except SnapshotError:
            raise
        except BaseException:
            self._break_off()
            raise

    @abc.abstractmethod
    def _break_off(self) -> None:
        """End the simulation; only `begin()` goes on from here."""

    @abc.abstractmethod
    def _running(self) -> Simulation:
        """Return the simulation of the running episode."""

    @abc.abstractmethod
    def _require_open(self) -> None:
        """Refuse to go on after `close()`."""
