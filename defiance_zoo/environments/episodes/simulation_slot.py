# SPDX-License-Identifier: GPL-2.0-only
"""The holder of the simulation that plays the current episode."""

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
    """Holds one simulation at a time, which ends with this object and is not used in forks.

    Attributes:
        launcher: The launcher of simulations.
        starting: A simulation that has been started, before its first message.
        simulation: The simulation that plays; None once its episode is over.
    """

    def __init__(self, launcher: Launcher) -> None:
        """Begin without a simulation."""
        self.launcher = launcher
        self.starting: Simulation | None = None
        self.simulation: Simulation | None = None
        self._inherited = False
        not_for_forks(self)
        # Also runs at garbage collection and interpreter exit: no simulation outlives its owner.
        self._finalizer = weakref.finalize(self, Launcher.close, launcher)

    @property
    def rng(self) -> RngState | None:
        """Seed and run of the current episode, or of the last one; None before the first one."""
        return self.launcher.rng

    def return_to(self, rng: RngState, *, again: bool) -> None:
        """Set the counter to an earlier episode or, to play it `again`, to the one before it."""
        self.launcher.return_to(rng, again=again)

    @property
    def expected(self) -> Simulation | None:
        """The simulation whose next message is awaited."""
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
        """Start the next simulation, regardless of the previous one.

        Args:
            seed: As for `reset()`.
            changes: Parameters that differ in this episode.
            before_start: See `Launcher.start`.

        Raises:
            ParameterError: A changed parameter is not allowed.
            SimulationError: The simulation did not start.
        """
        self._inherited = False
        self.starting = self.launcher.start(seed, changes, before_start)

    def greet(self, since: float | None) -> Simulation:
        """Wait for the first message of the started simulation, which plays from then on.

        Args:
            since: Begin of the wait by `running_time()`; None for now.

        Raises:
            SimulationError: The simulation sent another message, or none.
        """
        simulation = self.starting
        assert simulation is not None  # it has been started
        self.launcher.greet(simulation, since)
        self.simulation, self.starting = simulation, None
        return simulation

    def receive(self, since: float | None = None, messages: int = 1) -> Round:
        """Wait for the next round.

        Args:
            since: Begin of the wait by `running_time()`; None for now.
            messages: Number of messages awaited since then, this one included.

        Raises:
            SimulationError: The simulation failed, or sent another message, or none.
        """
        assert self.simulation is not None  # its episode is being played
        return self.simulation.receive(self.launcher.left(since, messages))

    def require(self) -> Simulation:
        """Return the simulation that plays.

        Raises:
            ClosedEnvironment: After `close()`.
            InheritedEpisode: The parent process plays the episode.
            ResetNeeded: No episode is running.
        """
        if self.simulation is None:
            self.require_open()
            self.require_own()
            raise ResetNeeded("no episode is running: call reset() first")
        return self.simulation

    def clear(self) -> None:
        """Forget the simulation without ending it."""
        self.simulation = self.starting = None

    def stop(self) -> None:
        """End the simulation."""
        self.clear()
        self.launcher.stop()

    def leave(self) -> None:
        """Ask the simulation to end, without waiting; the episode is over."""
        self.launcher.leave()

    # ------------------------------------------------------------------ copies

    def freeze(self) -> FrozenSimulation:
        """Copy the simulation where it waits for an answer.

        Raises:
            SnapshotError: The simulation cannot be copied, and continues.
            SimulationError: It failed.
        """
        return self.launcher.snapshot()

    def require_restorable(self, frozen: FrozenSimulation) -> None:
        """Refuse a copy that cannot replace the simulation.

        Raises:
            ClosedEnvironment: After `close()`.
            InheritedEpisode: The parent process plays the episode.
            InvalidSnapshot: The copy was released, or is of other episodes.
            TooFewDescriptors: There are not enough descriptors for another process.
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
            memo: The memo of `copy.deepcopy`, which maps agents to their copies.

        Raises:
            SnapshotRefused: The simulation cannot be copied.
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
            InheritedEpisode: This process is a fork of that process.
        """
        if self._inherited:
            raise InheritedEpisode(
                "the parent process plays this episode: call reset() to begin one in this process"
            )

    def share(self, link: StepLink) -> None:
        """Use another link from now on, if the shared one belongs to another process."""
        self.launcher.share(link)

    def require_open(self) -> None:
        """Refuse to continue after `close()`.

        Raises:
            ClosedEnvironment: The environment was closed.
        """
        if not self._finalizer.alive:
            raise ClosedEnvironment("this environment was closed: make a new one")

    def close(self) -> None:
        """End the simulation and release everything; may be called again."""
        self.clear()
        self._finalizer()
