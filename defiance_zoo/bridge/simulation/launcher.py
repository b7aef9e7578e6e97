# SPDX-License-Identifier: GPL-2.0-only
"""Starting of simulations, one for each episode, with their parameters and seeds."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from defiance_zoo.bridge.messages.rounds import Agent
from defiance_zoo.bridge.process.retries import ATTEMPTS
from defiance_zoo.bridge.simulation.distributions import examples, read_distributions
from defiance_zoo.bridge.simulation.frozen_simulation import FrozenSimulation, FrozenSimulations
from defiance_zoo.bridge.simulation.recording_files import RecordingFiles
from defiance_zoo.bridge.simulation.scenario import Command, Scenario
from defiance_zoo.bridge.simulation.seeding import RngState, Seeding
from defiance_zoo.bridge.simulation.settings import LaunchSettings, Rounds, choose
from defiance_zoo.bridge.simulation.simulation import Simulation
from defiance_zoo.bridge.simulation.starter import Starter
from defiance_zoo.bridge.system.caller_warnings import warn_caller
from defiance_zoo.bridge.system.fork_safety import not_for_forks
from defiance_zoo.bridge.system.plain_values import plain_value
from defiance_zoo.bridge.system.running_time import running_time
from defiance_zoo.bridge.system.single_process import require_player
from defiance_zoo.bridge.transport.step_link import StepLink
from defiance_zoo.bridge.transport.zmq_endpoint import Endpoint
from defiance_zoo.errors import (
    ResourcesExhausted,
    SeedIgnoredWarning,
    SimulationCrashed,
    SnapshotRefused,
)

_INSTANT_S = 0.01
"""Time in seconds to take a message that has already arrived, after the time limit."""


class Launcher:
    """Starts the simulations of one environment; at most one of them runs.

    Nothing exists before the first simulation: no process, no socket, no thread.

    Attributes:
        frozen: Copies of its simulations.
        files: Files that simulations write from the next start on, or None. A restored
            simulation continues in the files of its episode; a branch writes none.
    """

    def __init__(
        self,
        scenario: Scenario,
        parameters: Mapping[str, Any],
        rounds: Rounds,
        settings: LaunchSettings,
        link: StepLink | None = None,
    ) -> None:
        """Check everything that can be checked without starting a simulation.

        Args:
            scenario: The scenario to simulate.
            parameters: Parameters of the scenario; values, and distributions to draw one from in
                each episode.
            rounds: Whether agents of one instant are asked together.
            settings: Settings of the start of simulations.
            link: A link that several launchers share and no launcher closes; None for a new link.

        Raises:
            ScenarioNotFound: The program is missing.
            ParameterError: A parameter is unknown or not allowed.
            NotInScenario: This process is a simulation.
        """
        choose("rounds", rounds, Rounds)
        require_player(f"a simulation of {scenario.name!r}")
        self._scenario, self._rounds, self._settings = scenario, rounds, settings
        self._starter = Starter(scenario, rounds, settings)
        self._parameters = read_distributions(parameters)
        self._command = scenario.check(self._parameters)
        self._seeding = Seeding()
        self._link, self._shares_link = link, link is not None
        self._current: Simulation | None = None
        self.frozen = FrozenSimulations(settings.max_snapshots, settings.timeout_s)
        self.files: RecordingFiles | None = None
        self._asked_for: RngState | None = None
        self._played: Mapping[str, Any] = {}
        not_for_forks(self)

    def disown(self) -> None:
        """See `ProcessBound`; the next simulation belongs to this process."""
        self._link = self._current = None
        self._starter.disown()
        self.frozen = FrozenSimulations(self._settings.max_snapshots, self._settings.timeout_s)

    def share(self, link: StepLink) -> None:
        """Use another link from now on, if the shared one belongs to the parent process."""
        self._link = link

    @functools.cached_property
    def declared(self) -> frozenset[str]:
        """Names of the parameters that the scenario declares."""
        declaration = self._scenario.declaration(examples(self._parameters))
        return frozenset(declaration.parameters if declaration is not None else ())

    @property
    def is_attached(self) -> bool:
        """Whether simulations are started by hand, perhaps on another machine."""
        return self._settings.launch == "attach"

    @property
    def counts_communication(self) -> bool:
        """Whether simulations count the messages of RL applications."""
        return self._settings.communication_report or self._settings.communication_infos

    @property
    def rng(self) -> RngState | None:
        """Seed and run of the current episode, or of the last one."""
        return self._seeding.current

    def describe_seed(self) -> str:
        """Describe the seed of the current episode, or of the last one."""
        return self._seeding.describe()

    @property
    def drawn(self) -> dict[str, Any]:
        """Values of the parameters that are distributions, in the current or the last episode."""
        drawn: dict[str, Any] = plain_value(self._seeding.drawn)
        return drawn

    def in_effect(self) -> dict[str, Any]:
        """Return all parameters of the current episode, or of the last one, by name.

        Missing parameters have the program's default values.
        """
        given = {**self._scenario.defaults, **self._played}
        declaration = self._scenario.declaration(self._played)
        if declaration is None:
            return given
        declared = declaration.parameters.values()
        return {each.name: given.get(each.name, each.value) for each in declared}

    def expect_fragments(self, runtime: str) -> None:
        """See `Starter.expect_fragments`."""
        self._starter.expect_fragments(runtime)

    def require_room(self) -> None:
        """See `Starter.require_room`."""
        self._starter.require_room()

    def return_to(self, rng: RngState, *, again: bool) -> None:
        """Set the counter to an earlier episode or, to play it `again`, to the one before it."""
        self._seeding.return_to(rng, again=again)

    def probe(self) -> dict[str, Agent]:
        """Return the agents of the scenario, by name, from a short-lived simulation.

        Raises:
            SimulationError: The simulation did not introduce them.
        """
        link = replace(self._settings, endpoint=Endpoint()).open_link()
        try:
            return self._introduced(link, ATTEMPTS)
        finally:
            link.close()
            if self._link is None:  # no episode has needed it yet
                self._starter.release_server()

    def _introduced(self, link: StepLink, attempts: int) -> dict[str, Agent]:
        simulation = self._starter.start(link, self._command, RngState(1, 1))
        try:
            simulation.greet()
            return dict(simulation.agents)
        except SimulationCrashed:
            _, process = simulation.conversation
            if attempts == 1 or process is None or not process.was_killed():
                raise
        finally:
            simulation.close()
        return self._introduced(link, attempts - 1)

    def start(
        self,
        seed: int | None,
        changes: Mapping[str, Any],
        before_start: Callable[[], Mapping[str, Any]] = dict,
    ) -> Simulation:
        """End the current simulation and start the next one; `greet()` follows.

        Args:
            seed: Seed of `reset()`.
            changes: Parameters that differ in this episode; distributions are allowed.
            before_start: Called with known seed and parameters, before the simulation starts;
                returns further parameters.

        Raises:
            ParameterError: A changed parameter is not allowed; nothing was started.
            SimulationError: The simulation did not start.
        """
        parameters, command = self._parameters, self._command
        if changes:
            parameters = {**parameters, **read_distributions(changes)}
            command = self._scenario.check(parameters)
            self._scenario.warn_of_units(parameters, changes)
        previous, self._current = self._current, None
        try:
            # Its files are complete before the next simulation writes.
            predecessor = previous.leave() if previous is not None else None
            rng = self._seeding.episode(seed)
            self._asked_for = rng if seed is not None else None
            drawn = self._seeding.drawn = self._scenario.draw(parameters, rng)
            if drawn:
                command = self._scenario.command({**parameters, **drawn})
            self._played = {**parameters, **drawn} if drawn else parameters
            if further := before_start():
                self._played = {**self._played, **further}
                command = self._scenario.command(self._played)
            if not self._starter.forks(command) and previous is not None:
                previous.close()
                predecessor = None
            self._current = self._begin(command, rng, predecessor)
        finally:
            if previous is not None:
                previous.close()
        return self._current

    def _begin(
        self, command: Command, rng: RngState, predecessor: tuple[int, int] | None
    ) -> Simulation:
        if self.is_attached:
            return self._starter.attach(self._opened(), command, rng, self.files)
        return self._starter.start(self._opened(), command, rng, predecessor, self.files)

    def _opened(self) -> StepLink:
        """Return the link, which is opened if necessary."""
        if self._link is None:
            self._link = self._settings.open_link()
        return self._link

    def left(self, since: float | None, messages: int = 1) -> float | None:
        """Return the remaining time for a message.

        Args:
            since: Begin of the wait by `running_time()`; None: now.
            messages: Number of messages awaited since then, this one included.

        Returns:
            Seconds, more than 0; None for the whole time limit of a message.
        """
        if since is None:
            return None
        deadline = since + messages * self._settings.timeout_s
        return max(deadline - running_time(), _INSTANT_S)

    def greet(self, simulation: Simulation, since: float | None = None) -> None:
        """Wait for the first message of a started simulation.

        Args:
            simulation: A started simulation.
            since: See `left()`.

        Raises:
            SimulationError: The simulation sent another message, or none.
        """
        attaching = self._settings.launch == "attach"
        simulation.greet(self._settings.attach_timeout_s if attaching else self.left(since))
        if self._asked_for is not None and simulation.rng != self._asked_for:
            warn_caller(
                f"reset(seed=...) asked for {self._asked_for}, but the simulation uses "
                f"{simulation.rng}: it sets its own seed, or was started by hand without "
                "NS_GLOBAL_VALUE",
                SeedIgnoredWarning,
            )

    def snapshot(self) -> FrozenSimulation:
        """Copy the current simulation, which waits for a reply.

        Raises:
            TooManySnapshots: `max_snapshots` copies exist already.
            SnapshotRefused: It cannot be copied, and continues unharmed.
            SimulationError: It failed.
        """
        assert self._current is not None  # its episode is being played
        return self.frozen.add(self._current, self._seeding)

    def restore(self, frozen: FrozenSimulation) -> Simulation:
        """Continue from a copy, and end the current simulation, at once if it has the same episode.

        Raises:
            SnapshotLost: The copy has ended.
            SimulationError: The restored simulation failed.
        """
        self.stop(at_once=frozen.seeding.current is self._seeding.current)
        self._seeding = copy.copy(frozen.seeding)
        self._current = self._starter.thaw(self._opened(), frozen)
        self._current.resume(frozen.state)
        return self._current

    def branch(self, memo: dict[int, Any]) -> tuple[Launcher, Simulation]:
        """Return another launcher, with a copy of the current simulation.

        Its next episode without a seed is the same as this launcher's.

        Args:
            memo: The memo of `copy.deepcopy`, which maps agents to their copies.

        Raises:
            SnapshotRefused: It cannot be copied.
            SimulationError: It failed.
        """
        settings = replace(self._settings, endpoint=Endpoint())  # the given name is in use
        other = Launcher(self._scenario, self._parameters, self._rounds, settings)
        other._seeding = copy.copy(self._seeding)
        assert self._current is not None  # its episode is being played
        frozen = FrozenSimulation.of(self._current, self._seeding, settings.timeout_s)
        try:
            other._starter = self._starter.branch(settings, memo)
            simulation = other._starter.thaw(other._opened(), frozen, silent=True)
            other._current = simulation
            simulation.resume(copy.deepcopy(frozen.state, memo))
        except BaseException as error:
            other.close()
            if isinstance(error, ResourcesExhausted):
                raise SnapshotRefused(str(error)) from error
            raise
        finally:
            frozen.release()
        return other, simulation

    def leave(self) -> None:
        """Ask the current simulation, if any, to end, without waiting."""
        if self._current is not None:
            self._current.leave()

    def stop(self, *, at_once: bool = False) -> None:
        """End the current simulation, if there is one; see `Simulation.close`."""
        if self._current is not None:
            current, self._current = self._current, None
            current.close(at_once=at_once)

    def close(self) -> None:
        """End everything; may be called again."""
        try:
            self.stop()
        finally:
            self.frozen.release_all()
            self._starter.close()
            if self._link is not None and not self._shares_link:
                link, self._link = self._link, None
                link.close()
