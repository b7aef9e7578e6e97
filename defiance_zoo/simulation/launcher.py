# SPDX-License-Identifier: GPL-2.0-only
"""Starts simulations, one an episode, with the right parameters and seeds."""

from __future__ import annotations

import functools
import os
import secrets
import shlex
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from defiance_zoo.errors import ParameterError, SeedIgnoredWarning, SimulationCrashed
from defiance_zoo.simulation.endpoint import Endpoint
from defiance_zoo.simulation.events import Agent
from defiance_zoo.simulation.fork_server import ForkServer
from defiance_zoo.simulation.link import AnyLink, Link
from defiance_zoo.simulation.local_link import LocalLink
from defiance_zoo.simulation.parameters import describe, plain_arguments
from defiance_zoo.simulation.process import SimulationProcess
from defiance_zoo.simulation.programs import ForkedProgram, Program, SpawnedProgram
from defiance_zoo.simulation.roster import Acquaintances
from defiance_zoo.simulation.scenario import Scenario
from defiance_zoo.simulation.seeding import RngState, Seeding
from defiance_zoo.simulation.simulation import Simulation

Launch = Literal["fork", "spawn", "attach"]
Rounds = Literal["sequential", "simultaneous"]
Output = Literal["tail", "show"]
LinkKind = Literal["zmq", "local"]
_LONGEST_SPIN_US = 1000


@dataclass(frozen=True)
class LaunchSettings:
    """How simulations are started and talked to.

    Attributes:
        launch: `fork` prepares one process, and forks each episode's from it; a program that
            cannot, because it does not use `RlSimulation`, is spawned. `spawn` starts a new process
            for each episode. `attach` prints the command that starts the simulation and waits until
            somebody has run it, in a debugger or elsewhere.
        timeout_s: How long a simulation may take from one message to the next, in seconds.
        attach_timeout_s: How long to wait for a simulation that is started by hand, in seconds.
        output: `tail` keeps the end of the simulation's output for error messages; `show` copies
            all of it to `sys.stderr` as well.
        endpoint: Where simulations connect.
        link: `zmq` connects to `endpoint`. `local` goes through pipes, for simulations that this
            process starts.
        spin_us: With `link="local"`, how long each side looks for the next message before it
            sleeps, in microseconds. Waking a process on another core takes longer than that; but
            as long as it spins, the core is busy.
        communication_infos: Whether the infos of agents tell what RL applications have sent to each
            other since the beginning of the episode, as
            `communication/<sender>/<receiver>/<kind>/<quantity>`.
    """

    launch: Launch = "fork"
    timeout_s: float = 60.0
    attach_timeout_s: float = 3600.0
    output: Output = "tail"
    endpoint: Endpoint = field(default_factory=Endpoint)
    link: LinkKind = "zmq"
    spin_us: float = 0.0
    communication_infos: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be meant.

        Raises:
            ParameterError: A value is not allowed.
        """
        choose("launch", self.launch, Launch)
        choose("output", self.output, Output)
        choose("link", self.link, LinkKind)
        if self.link == "local" and (self.launch == "attach" or self.endpoint != Endpoint()):
            raise ParameterError(
                "link='local' goes through inherited pipes: it has no endpoint, nobody can attach"
            )
        if not 0 <= self.spin_us <= _LONGEST_SPIN_US:
            raise ParameterError(f"spin_us={self.spin_us!r} is not from 0 to {_LONGEST_SPIN_US}")
        if self.spin_us and self.link != "local":
            raise ParameterError("spin_us needs link='local'")
        if not isinstance(self.communication_infos, bool):
            raise ParameterError(f"communication_infos={self.communication_infos!r} is not a bool")
        for name in ("timeout_s", "attach_timeout_s"):
            if not getattr(self, name) > 0:
                raise ParameterError(f"{name}={getattr(self, name)!r} is not a positive time")


def choose(name: str, value: object, literal: Any) -> None:
    """Refuse a value that is not one of a `Literal`.

    Raises:
        ParameterError: It is not.
    """
    if value not in literal.__args__:
        raise ParameterError(f"{name}={value!r} is not one of {list(literal.__args__)}")


def open_link(settings: LaunchSettings) -> AnyLink:
    """Return what carries the messages of simulations that are started like this.

    Raises:
        ParameterError: The endpoint cannot be used.
    """
    if settings.link == "local":
        return LocalLink(settings.spin_us)
    return Link(settings.endpoint, watch_disconnects=settings.launch == "attach")


class Launcher:
    """Starts the simulations of one environment; at most one of them runs.

    Nothing exists before the first simulation: no process, no socket, no thread.
    """

    def __init__(
        self,
        scenario: Scenario,
        parameters: Mapping[str, Any],
        rounds: Rounds,
        settings: LaunchSettings,
        link: AnyLink | None = None,
    ) -> None:
        """Check everything that can be checked without starting a simulation.

        Args:
            scenario: What to simulate.
            parameters: Of the scenario.
            rounds: Whether agents of one instant are asked together.
            settings: How simulations are started.
            link: To be used, and left open, by this launcher and others; None for one of its own.

        Raises:
            ScenarioNotFound: The program is missing.
            ParameterError: A parameter is unknown or not allowed.
        """
        choose("rounds", rounds, Rounds)
        self._scenario, self._rounds, self._settings = scenario, rounds, settings
        self._program = scenario.locate()
        self._parameters = {**scenario.defaults, **parameters}
        self._arguments = self._check(self._parameters)
        self._seeding = Seeding()
        self._acquaintances = Acquaintances()
        self._link, self._shares_link = link, link is not None
        self._server: ForkServer | None = None
        self._current: Simulation | None = None
        self._owner = os.getpid()
        self._asked_for: RngState | None = None

    @functools.cached_property
    def declared(self) -> frozenset[str]:
        """Names of the parameters that the scenario declares."""
        if not self._scenario.describes_itself:
            return frozenset()
        return frozenset(describe(self._program).parameters)

    def _check(self, parameters: Mapping[str, Any]) -> list[str]:
        if self._scenario.describes_itself:
            return describe(self._program).to_arguments(parameters)
        return plain_arguments(parameters)

    def probe(self) -> dict[str, Agent]:
        """Return the agents of the scenario, by name, from a short-lived simulation.

        Raises:
            SimulationError: The simulation did not introduce them.
        """
        link = open_link(replace(self._settings, endpoint=Endpoint()))
        simulation = None
        try:
            simulation = self._start(link, self._arguments, RngState(1, 1))
            simulation.greet()
            return dict(simulation.agents)
        finally:
            if simulation is not None:
                simulation.close()
            link.close()
            if self._link is None:  # no episode has needed it yet
                self._release_server()

    def start(self, seed: int | None, changes: Mapping[str, Any]) -> Simulation:
        """End the current simulation and start the next one, which is to be greeted.

        Args:
            seed: As for `reset()`.
            changes: Parameters that differ in this episode.

        Raises:
            ParameterError: A changed parameter is not allowed; nothing was started.
            SimulationError: The simulation did not start.
        """
        arguments = self._arguments
        if changes:
            arguments = self._check({**self._parameters, **changes})
        self.stop()
        rng = self._seeding.episode(seed)
        if self._link is None:
            self._link = open_link(self._settings)
        self._asked_for = rng if seed is not None else None
        start = self._attach if self._settings.launch == "attach" else self._start
        self._current = start(self._link, arguments, rng)
        return self._current

    def greet(self, simulation: Simulation) -> None:
        """Wait until the simulation that was started has said who it is.

        Raises:
            SimulationError: It said something else, or nothing.
        """
        attaching = self._settings.launch == "attach"
        simulation.greet(self._settings.attach_timeout_s if attaching else None)
        if self._asked_for is not None and simulation.rng != self._asked_for:
            warnings.warn(
                f"reset(seed=...) asked for {self._asked_for}, but the simulation uses "
                f"{simulation.rng}: it sets a seed of its own, or was started by hand without "
                "NS_GLOBAL_VALUE",
                SeedIgnoredWarning,
                stacklevel=5,
            )

    def _start(self, link: AnyLink, arguments: list[str], rng: RngState) -> Simulation:
        token = secrets.token_hex(16)
        variables = self._environment(link, token, rng)
        link.open(token.encode())

        def start(lifeline: int, output: int) -> Program:
            inherited = (lifeline, output, *link.inherited(token.encode()))
            if self._forks():
                return ForkedProgram(self._prepared(), arguments, variables, inherited)
            return SpawnedProgram([str(self._program), *arguments], variables, inherited)

        try:
            process = SimulationProcess(start, show_output=self._settings.output == "show")
        except BaseException as error:
            link.forget(token.encode())
            if isinstance(error, OSError):
                raise SimulationCrashed(f"{self._program} could not be started: {error}") from error
            raise
        link.started(token.encode(), process)
        return self._simulation(link, token, process)

    def _forks(self) -> bool:
        describes = self._scenario.describes_itself
        return self._settings.launch != "spawn" and describes and describe(self._program).forks

    def _prepared(self) -> ForkServer:
        """Return a process of the program as it is now, to fork from."""
        if self._server is None or not self._server.is_for(self._program):
            self._release_server()
            self._server = ForkServer.obtain(self._program, self._settings.timeout_s)
        return self._server

    def _release_server(self) -> None:
        if self._server is not None:
            server, self._server = self._server, None
            server.release()

    def _attach(self, link: AnyLink, arguments: list[str], rng: RngState) -> Simulation:
        token = secrets.token_hex(16)
        variables = self._environment(link, token, rng)
        assignments = [f"{name}={shlex.quote(value)}" for name, value in variables.items()]
        command = " ".join([*assignments, shlex.join([str(self._program), *arguments])])
        print(
            f"Waiting for the simulation; start it with:\n  {command}", file=sys.stderr, flush=True
        )
        link.open(token.encode())
        return self._simulation(link, token, None)

    def _simulation(
        self, link: AnyLink, token: str, process: SimulationProcess | None
    ) -> Simulation:
        return Simulation(
            link,
            token.encode(),
            process,
            timeout_s=self._settings.timeout_s,
            acquaintances=self._acquaintances,
        )

    def _environment(self, link: AnyLink, token: str, rng: RngState) -> dict[str, str]:
        # ns-3 reads NS_GLOBAL_VALUE itself, so a program that sets no seed of its own gets ours; of
        # two values for one name it takes the first.
        inherited = os.environ.get("NS_GLOBAL_VALUE")
        values = [f"RngSeed={rng.seed}", f"RngRun={rng.run}"]
        if self._settings.communication_infos:
            values.append("CommunicationInfos=true")
        if inherited:
            values.append(inherited)
        variables = {
            "DEFIANCE_ENDPOINT": link.address,
            "DEFIANCE_TOKEN": token,
            "DEFIANCE_ROUNDS": self._rounds,
            "NS_GLOBAL_VALUE": ";".join(values),
        }
        if self._settings.spin_us:
            variables["DEFIANCE_SPIN_US"] = str(self._settings.spin_us)
        if link.server_key:
            variables["DEFIANCE_CURVE_SERVER_KEY"] = link.server_key
        return variables

    def _leave_to_parent(self) -> None:
        """After a fork, forget what belongs to the parent process, without touching it."""
        if self._owner != os.getpid():
            self._owner = os.getpid()
            self._link = self._current = self._server = None

    def stop(self) -> None:
        """End the current simulation, if there is one."""
        self._leave_to_parent()
        if self._current is not None:
            current, self._current = self._current, None
            current.close()

    def close(self) -> None:
        """End everything; may be called again."""
        try:
            self.stop()
        finally:
            self._release_server()
            if self._link is not None and not self._shares_link:
                link, self._link = self._link, None
                link.close()
