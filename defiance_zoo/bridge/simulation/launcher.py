# SPDX-License-Identifier: GPL-2.0-only
"""Starting of simulations, one for each episode, with their parameters and seeds."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, get_args

from defiance_zoo.bridge.messages.rounds import Agent, Round
from defiance_zoo.bridge.process.simulation_process import ATTEMPTS
from defiance_zoo.bridge.simulation.distributions import examples, read_distributions
from defiance_zoo.bridge.simulation.frozen_simulation import FrozenSimulation, FrozenSimulations
from defiance_zoo.bridge.simulation.scenario import Scenario
from defiance_zoo.bridge.simulation.seeding import RngState, Seeding
from defiance_zoo.bridge.simulation.settings import LaunchSettings, RecordingFiles, Rounds
from defiance_zoo.bridge.simulation.simulation import Simulation
from defiance_zoo.bridge.simulation.starter import DESCRIPTORS, Starter
from defiance_zoo.bridge.system.caller_warnings import warn_caller
from defiance_zoo.bridge.system.fork_safety import not_for_forks
from defiance_zoo.bridge.system.plain_values import plain_value
from defiance_zoo.bridge.system.resources import require_descriptors
from defiance_zoo.bridge.system.running_time import running_time
from defiance_zoo.bridge.system.single_process import require_player
from defiance_zoo.bridge.system.spelling import require_choice
from defiance_zoo.bridge.transport.step_link import StepLink
from defiance_zoo.bridge.transport.zmq_endpoint import Endpoint
from defiance_zoo.errors import (
    ClosedEnvironment,
    InheritedEpisode,
    ResetNeeded,
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
        seeding: The seed of the current episode, or of the last one, and of later ones.
        starter: Starts the processes.
        starting: A simulation that has been started, before its first message.
        simulation: The simulation that plays; None once its episode is over.
    """

    def __init__(
        self,
        scenario: Scenario,
        parameters: Mapping[str, Any],
        rounds: Rounds,
        settings: LaunchSettings,
        link: StepLink | None = None,
    ) -> None:
        require_choice("rounds", rounds, get_args(Rounds))
        require_player(f"a simulation of {scenario.name!r}")
        self._scenario, self._rounds, self._settings = scenario, rounds, settings
        self.starter = Starter(scenario, rounds, settings)
        self._parameters = read_distributions(parameters)
        self._command = scenario.check(self._parameters)
        self.seeding = Seeding()
        self._link, self._shares_link = link, link is not None
        self._current: Simulation | None = None  # its process may have to be ended
        self.starting: Simulation | None = None
        self.simulation: Simulation | None = None
        self._inherited = self._closed = False
        self.frozen = FrozenSimulations(settings.max_snapshots, settings.timeout_s)
        self.files: RecordingFiles | None = None
        self._asked_for: RngState | None = None
        self._played: Mapping[str, Any] = {}
        not_for_forks(self)

    def disown(self) -> None:
        """See `ProcessBound`; only `start()` continues from here."""
        self._inherited = self.expected is not None
        self.clear()
        self._link = self._current = None
        self.starter.disown()
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
    def drawn(self) -> dict[str, Any]:
        """Values of the parameters that are distributions, in the current or the last episode."""
        drawn: dict[str, Any] = plain_value(self.seeding.drawn)
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

    @property
    def expected(self) -> Simulation | None:
        """The simulation whose next message is awaited."""
        return self.starting or self.simulation

    def require(self) -> Simulation:
        """Return the simulation that plays."""
        if self.simulation is None:
            self.require_open()
            self._require_own()
            raise ResetNeeded("no episode is running: call reset() first")
        return self.simulation

    def require_open(self) -> None:
        """Refuse to continue after `close()`."""
        if self._closed:
            raise ClosedEnvironment("this environment was closed: make a new one")

    def _require_own(self) -> None:
        """Refuse to continue with an episode that another process plays."""
        if self._inherited:
            raise InheritedEpisode(
                "the parent process plays this episode: call reset() to begin one in this process"
            )

    def probe(self) -> dict[str, Agent]:
        """Return the agents of the scenario, by name, from a short-lived simulation.

        Its fork server stays for the first episode.
        """
        link = replace(self._settings, endpoint=Endpoint()).open_link()
        try:
            return self._introduced(link, ATTEMPTS)
        finally:
            link.close()

    def _introduced(self, link: StepLink, attempts: int) -> dict[str, Agent]:
        simulation = self.starter.start(link, self._command, RngState(1, 1))
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
    ) -> None:
        """End the current simulation and start the next one; `greet()` follows.

        `changes`: parameters that differ in this episode; distributions are allowed.
        `before_start`: called with known seed and parameters, before the simulation starts; returns
        further parameters.
        """
        self._inherited = False
        parameters, command = self._parameters, self._command
        if changes:
            parameters = {**parameters, **read_distributions(changes)}
            command = self._scenario.check(parameters)
            self._scenario.warn_of_units(parameters, changes)
        previous, self._current = self._current, None
        try:
            # Its files are complete before the next simulation writes.
            predecessor = previous.leave() if previous is not None else None
            rng = self.seeding.episode(seed)
            self._asked_for = rng if seed is not None else None
            drawn = self.seeding.drawn = self._scenario.draw(parameters, rng)
            if drawn:
                command = self._scenario.command({**parameters, **drawn})
            self._played = {**parameters, **drawn} if drawn else parameters
            if further := before_start():
                self._played = {**self._played, **further}
                command = self._scenario.command(self._played)
            if not self.starter.forks(command) and previous is not None:
                previous.close()
                predecessor = None
            if self.is_attached:
                started = self.starter.attach(self._opened(), command, rng, self.files)
            else:
                link = self._opened()
                started = self.starter.start(link, command, rng, predecessor, self.files)
            self._current = self.starting = started
        finally:
            if previous is not None:
                previous.close()

    def _opened(self) -> StepLink:
        """Return the link, which is opened if necessary."""
        if self._link is None:
            self._link = self._settings.open_link()
        return self._link

    def greet(self, since: float | None = None) -> Simulation:
        """Wait for the first message of the started simulation, since a `running_time()` or now."""
        simulation = self.starting
        assert simulation is not None  # it has been started
        by_hand = self.is_attached
        simulation.greet(self._settings.attach_timeout_s if by_hand else self._left(since))
        if self._asked_for is not None and simulation.rng != self._asked_for:
            warn_caller(
                f"reset(seed=...) asked for {self._asked_for}, but the simulation uses "
                f"{simulation.rng}: it sets its own seed, or was started by hand without "
                "NS_GLOBAL_VALUE",
                SeedIgnoredWarning,
            )
        self.simulation, self.starting = simulation, None
        return simulation

    def receive(self, since: float | None = None, messages: int = 1) -> Round:
        """Wait for the next round.

        `since`: begin of the wait by `running_time()`; None: now. `messages`: number of messages
        awaited since then, this one included.
        """
        assert self.simulation is not None  # its episode is being played
        return self.simulation.receive(self._left(since, messages))

    def _left(self, since: float | None, messages: int = 1) -> float | None:
        """Return the remaining time in seconds; None for the whole time limit of a message."""
        if since is None:
            return None
        deadline = since + messages * self._settings.timeout_s
        return max(deadline - running_time(), _INSTANT_S)

    def snapshot(self) -> FrozenSimulation:
        """Copy the current simulation, which waits for a reply."""
        assert self._current is not None  # its episode is being played
        return self.frozen.add(self._current, self.seeding)

    def require_restorable(self, frozen: FrozenSimulation) -> None:
        """Refuse a copy that cannot replace the simulation."""
        self.require_open()
        self._require_own()
        self.frozen.require_usable(frozen)
        require_descriptors(DESCRIPTORS)

    def restore(self, frozen: FrozenSimulation) -> Simulation:
        """Continue from a copy; end the current simulation, at once if it has the same episode."""
        self.stop(at_once=frozen.seeding.current is self.seeding.current)
        self.seeding = copy.copy(frozen.seeding)
        self._current = self.starter.thaw(self._opened(), frozen)
        self._current.resume(frozen.state)
        self.simulation = self._current
        return self._current

    def branch(self, memo: dict[int, Any]) -> Launcher:
        """Return another launcher, with a copy of the current simulation.

        Its next episode without a seed is the same as this launcher's. `memo`: the memo of
        `copy.deepcopy`, which maps agents to their copies.
        """
        settings = replace(self._settings, endpoint=Endpoint())  # the given name is in use
        other = Launcher(self._scenario, self._parameters, self._rounds, settings)
        other.seeding = copy.copy(self.seeding)
        assert self._current is not None  # its episode is being played
        frozen = FrozenSimulation.of(self._current, self.seeding, settings.timeout_s)
        try:
            other.starter = self.starter.branch(settings, memo)
            simulation = other.starter.thaw(other._opened(), frozen, silent=True)
            other._current = other.simulation = simulation
            simulation.resume(copy.deepcopy(frozen.state, memo))
        except BaseException as error:
            other.close()
            if isinstance(error, ResourcesExhausted):
                raise SnapshotRefused(str(error)) from error
            raise
        finally:
            frozen.release()
        return other

    def clear(self) -> None:
        """Forget the simulation without ending it."""
        self.simulation = self.starting = None

    def leave(self) -> None:
        """Ask the current simulation, if any, to end, without waiting."""
        if self._current is not None:
            self._current.leave()

    def stop(self, *, at_once: bool = False) -> None:
        """End the current simulation, if there is one; see `Simulation.close`."""
        self.clear()
        if self._current is not None:
            current, self._current = self._current, None
            current.close(at_once=at_once)

    def close(self) -> None:
        """End everything; may be called again."""
        self._closed = True
        try:
            self.stop()
        finally:
            self.frozen.release_all()
            self.starter.close()
            if self._link is not None and not self._shares_link:
                link, self._link = self._link, None
                link.close()
