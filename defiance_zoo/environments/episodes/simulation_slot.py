# SPDX-License-Identifier: GPL-2.0-only
"""The place of the simulation that plays the current episode."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any

from defiance_zoo.bridge.simulation import (
    FrozenSimulation,
    FrozenSimulations,
    Launcher,
    RngState,
    Round,
    Simulation,
    StepLink,
    not_for_forks,
)
from defiance_zoo.errors import ClosedEnvironment, InheritedEpisode, ResetNeeded


class SimulationSlot:
    """Holds one simulation at a time, which ends with this object, and plays in no fork of Python.

    Attributes:
        launcher: The launcher of simulations.
        starting: A simulation that has been started, and is to be greeted.
        simulation: The one that plays; None once its episode is over.
    """

    def __init__(self, launcher: Launcher) -> None:
        """Stay empty until the first `start()`."""
        self.launcher = launcher
        self.starting: Simulation | None = None
        self.simulation: Simulation | None = None
        self._inherited = False
        not_for_forks(self)
        # Runs at garbage collection and at interpreter exit too: no simulation outlives its owner.
        self._finalizer = weakref.finalize(self, Launcher.close, launcher)

    @property
    def rng(self) -> RngState | None:
        """Seed and run of the current episode, or of the last one; None before the first one."""
        return self.launcher.rng

    def return_to(self, rng: RngState, *, again: bool) -> None:
        """Stand at an episode that was played before, or, to play it `again`, just before it."""
        self.launcher.return_to(rng, again=again)

    @property
    def expected(self) -> Simulation | None:
        """The simulation whose next message is waited for."""
        return self.starting or self.simulation

    @property
    def frozen(self) -> FrozenSimulations:
        """Copies of simulations, made by `freeze()`."""
        return self.launcher.frozen

    # ------------------------------------------------------------------ one after the other

    def start(
        self,
        seed: int | None,
        changes: Mapping[str, Any],
        before_start: Callable[[], Mapping[str, Any]] = dict,
    ) -> None:
        """Start the next simulation, whatever the one before does.

        Args:
            seed: As for `reset()`.
            changes: Parameters that differ in this episode.
            before_start: See `Launcher.start`.

        Raises:
            ParameterError: A changed parameter is not allowed.
            SimulationError: It did not start.
        """
        self._inherited = False
        self.starting = self.launcher.start(seed, changes, before_start)

    def greet(self, since: float | None) -> Simulation:
        """Wait for the first message of the simulation that has been started, which plays then.

        Args:
            since: Begin of the wait by `time.monotonic()`; None for now.

        Raises:
            SimulationError: It said something else, or nothing.
        """
        simulation = self.starting
        assert simulation is not None  # it has been started
        self.launcher.greet(simulation, since)
        self.simulation, self.starting = simulation, None
        return simulation

    def receive(self, since: float | None = None, messages: int = 1) -> Round:
        """Wait for the next round.

        Args:
            since: Begin of the wait by `time.monotonic()`; None for now.
            messages: Number of messages awaited since then, this one included.

        Raises:
            SimulationError: The simulation failed, said something else, or nothing.
        """
        assert self.simulation is not None  # somebody plays its episode
        return self.simulation.receive(self.launcher.left(since, messages))

    def require(self) -> Simulation:
        """Return the simulation that plays.

        Raises:
            ClosedEnvironment: After `close()`.
            InheritedEpisode: This process is a fork of the one that plays the episode.
            ResetNeeded: No episode is running.
        """
        if self.simulation is None:
            self.require_open()
            self.require_own()
            raise ResetNeeded("no episode is running: call reset() first")
        return self.simulation

    def clear(self) -> None:
        """Forget the simulation; what it still does is nobody's concern."""
        self.simulation = self.starting = None

    def stop(self) -> None:
        """End the simulation."""
        self.clear()
        self.launcher.stop()

    def leave(self) -> None:
        """Have the simulation end in order, without waiting for that; the episode is over."""
        self.launcher.leave()

    # ------------------------------------------------------------------ copies

    def freeze(self) -> FrozenSimulation:
        """Copy the simulation where it waits for an answer.

        Raises:
            SnapshotError: It cannot be copied; it continues unharmed.
            SimulationError: It failed.
        """
        return self.launcher.snapshot()

    def require_restorable(self, frozen: FrozenSimulation) -> None:
        """Refuse a copy that the simulation cannot be replaced by.

        Raises:
            ClosedEnvironment: After `close()`.
            InheritedEpisode: This process is a fork of the one that plays the episode.
            InvalidSnapshot: The copy was released, or made by others.
            TooFewDescriptors: Another process could not be spoken to.
        """
        self.require_open()
        self.require_own()
        self.frozen.require_usable(frozen)
        self.launcher.require_room()

    def restore(self, frozen: FrozenSimulation) -> Simulation:
        """End the simulation, and continue from a copy.

        Raises:
            SnapshotLost: The copy has ended.
            SimulationError: The restored simulation failed.
        """
        self.clear()
        simulation = self.simulation = self.launcher.restore(frozen)
        return simulation

    def branch(self, memo: dict[int, Any]) -> SimulationSlot:
        """Return another slot, with a copy of the simulation.

        Args:
            memo: The memo of `copy.deepcopy`; tells agents from their copies.

        Raises:
            SnapshotRefused: It cannot be copied.
            SimulationError: It failed.
        """
        launcher, simulation = self.launcher.branch(memo)
        other = SimulationSlot(launcher)
        other.simulation = simulation
        return other

    # ------------------------------------------------------------------ processes

    def disown(self) -> None:
        """See `ProcessBound`; only `start()` continues from here."""
        self._inherited = self.expected is not None
        self.clear()

    def require_own(self) -> None:
        """Refuse to continue with an episode that another process plays.

        Raises:
            InheritedEpisode: This process is a fork of that one.
        """
        if self._inherited:
            raise InheritedEpisode(
                "the process that this one was forked from plays this episode: call reset() for "
                "one of this process's own"
            )

    def share(self, link: StepLink) -> None:
        """Use a link from here on, where the one that was shared belongs to another process."""
        self.launcher.share(link)

    def require_open(self) -> None:
        """Refuse to continue after `close()`.

        Raises:
            ClosedEnvironment: It was closed.
        """
        if not self._finalizer.alive:
            raise ClosedEnvironment("this environment was closed")

    def close(self) -> None:
        """End the simulation and release everything; may be called again."""
        self.clear()
        self._finalizer()
