# SPDX-License-Identifier: GPL-2.0-only
"""Starting of the processes of simulations: forked, spawned, awaited, or copied."""

from __future__ import annotations

import contextlib
import copy
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.messages.agent_roster import AgentCache
from defiance_zoo.bridge.process.affinity import Cores
from defiance_zoo.bridge.process.fork_server import ForkServer, ForkServerLost
from defiance_zoo.bridge.process.programs import (
    Program,
    SpawnedProgram,
    allocator_variables,
    start_words,
)
from defiance_zoo.bridge.process.simulation_process import ATTEMPTS, ProcessPipes, SimulationProcess
from defiance_zoo.bridge.simulation.frozen_simulation import FrozenSimulation
from defiance_zoo.bridge.simulation.kept_programs import require_kept
from defiance_zoo.bridge.simulation.scenario import Command, Scenario
from defiance_zoo.bridge.simulation.seeding import RngState
from defiance_zoo.bridge.simulation.settings import (
    LaunchSettings,
    RecordingFiles,
    Rounds,
    StartCommand,
)
from defiance_zoo.bridge.simulation.simulation import Simulation
from defiance_zoo.bridge.system.resources import (
    failure,
    occupy_standard_descriptors,
)
from defiance_zoo.bridge.transport.step_link import StepLink, address_variables

DESCRIPTORS = 20
"""Descriptors for a simulation: both ends of lifeline, output, pipes and memory, pidfd, spare."""


class Starter:
    """Starts processes of one scenario, and holds their fork server."""

    def __init__(self, scenario: Scenario, rounds: Rounds, settings: LaunchSettings) -> None:
        self._scenario, self._rounds, self._settings = scenario, rounds, settings
        self._agent_cache = AgentCache(bounded=settings.check_bounds != "never")
        self._server: ForkServer | None = None
        self._cores = Cores(settings.affinity)
        self._expected: Mapping[str, str] = {}

    def expect_fragments(self, runtime: str) -> None:
        """Prepare ONNX Runtime for the simulations that are forked from now on."""
        self._expected = {"DEFIANCE_ONNXRUNTIME": runtime}

    def branch(self, settings: LaunchSettings, memo: dict[int, Any]) -> Starter:
        """Return another starter, with the same fork server and copies of the agents.

        `memo`: the memo of `copy.deepcopy`, which maps agents to their copies.
        """
        other = Starter(self._scenario, self._rounds, settings)
        other._agent_cache = copy.deepcopy(self._agent_cache, memo)
        other._server = self._server.share() if self._server else None
        other._expected = self._expected
        return other

    def disown(self) -> None:
        """Drop objects that belong to the parent process."""
        self._server = None
        self._cores.disown()

    def close(self) -> None:
        """Release everything; may be called again."""
        self._cores.release()
        self._release_server()

    def start(
        self,
        link: StepLink,
        command: Command,
        rng: RngState,
        predecessor: tuple[int, int] | None = None,
        files: RecordingFiles | None = None,
    ) -> Simulation:
        """Start a simulation; a dead fork server is replaced.

        A server may have forked before it died, so each attempt has separate pipes and a new token.
        `predecessor`: pidfd and output descriptor of the previous simulation, whose files have to
        be complete. `files`: files about the episode.
        """
        for _ in range(ATTEMPTS - 1):
            with contextlib.suppress(ForkServerLost):
                return self._start_once(link, command, rng, predecessor, files)
        return self._start_once(link, command, rng, predecessor, files)

    def _start_once(
        self,
        link: StepLink,
        command: Command,
        rng: RngState,
        predecessor: tuple[int, int] | None,
        files: RecordingFiles | None,
    ) -> Simulation:
        token = secrets.token_hex(16)
        variables = self._environment(link, token, rng, files)
        with self._opened(link, token) as pipes:
            inherited = (*pipes.theirs, *link.inherited(token.encode()))
            program = self._run(command, variables, inherited, predecessor)
            process = self._watched(program, pipes)
        return self._started(link, token, process)

    def thaw(self, link: StepLink, frozen: FrozenSimulation, *, silent: bool = False) -> Simulation:
        """Start a simulation from a copy of another one; `silent`: discard output to its files."""
        token = secrets.token_hex(16)
        # The copy's environment may hold the key of another link.
        address = {"DEFIANCE_CURVE_SERVER_KEY": "", **address_variables(link, token)}
        with self._opened(link, token) as pipes:
            inherited = (*pipes.theirs, *link.inherited(token.encode()))
            process = self._watched(frozen.fork(address, inherited, silent=silent), pipes)
        return self._started(link, token, process)

    @contextlib.contextmanager
    def _opened(self, link: StepLink, token: str) -> Iterator[ProcessPipes]:
        """Open the descriptors that a simulation inherits; they are closed if it does not start."""
        occupy_standard_descriptors()
        try:
            link.open(token.encode())
            with ProcessPipes() as pipes:
                yield pipes
        except BaseException as error:
            link.forget(token.encode())
            if isinstance(error, OSError):
                what = f"scenario {self._scenario.name!r} could not be started"
                raise failure(error, what) from error
            raise

    def _run(
        self,
        command: Command,
        variables: Mapping[str, str],
        inherited: Sequence[int],
        predecessor: tuple[int, int] | None,
    ) -> Program:
        self._require_kept(command)
        if not self.forks(command):
            words = [*start_words(command.program), *command.arguments]
            allocator = allocator_variables(command.program)
            return SpawnedProgram(words, {**allocator, **variables}, inherited)
        server = self._prepared(command.program)
        timeout_s = self._settings.timeout_s
        forked = server.fork(
            command.arguments, variables, inherited, predecessor, timeout_s=timeout_s
        )
        return Program(*forked, server)

    def _require_kept(self, command: Command) -> None:
        values = {name: name.partition("=")[2] for name in command.arguments}
        require_kept(lambda: self._scenario.digests(values))

    def _watched(self, program: Program, pipes: ProcessPipes) -> SimulationProcess:
        return SimulationProcess(program, pipes, show_output=self._settings.output == "show")

    def _started(self, link: StepLink, token: str, process: SimulationProcess) -> Simulation:
        self._cores.place(process.pid)
        link.started(token.encode(), process)
        return self._simulation(link, token, process)

    def forks(self, command: Command) -> bool:
        """Return whether simulations of a command are forked."""
        return self._settings.launch == "fork" and command.forks

    def _prepared(self, program: Path) -> ForkServer:
        """Return a fork server of the current program."""
        own = self._scenario.variables
        variables = {**allocator_variables(program), **self._expected, **own}
        if self._server is None or not self._server.is_for(program, variables):
            self._release_server()
            timeout_s = self._settings.timeout_s
            self._server = ForkServer.obtain(program, timeout_s, variables)
        return self._server

    def _release_server(self) -> None:
        """Release the fork server until the next start."""
        if self._server is not None:
            server, self._server = self._server, None
            server.release()

    def attach(
        self, link: StepLink, command: Command, rng: RngState, files: RecordingFiles | None
    ) -> Simulation:
        """Print the command that starts a simulation by hand; see `start()`."""
        self._require_kept(command)
        token = secrets.token_hex(16)
        variables = self._environment(link, token, rng, files)
        occupy_standard_descriptors()
        link.open(token.encode())
        self._settings.announce(StartCommand(variables, command.program, command.arguments))
        return self._simulation(link, token, None)

    def _simulation(
        self, link: StepLink, token: str, process: SimulationProcess | None
    ) -> Simulation:
        return Simulation(
            link,
            token.encode(),
            process,
            timeout_s=self._settings.timeout_s,
            agent_cache=self._agent_cache,
            check_bounds=self._settings.check_bounds,
        )

    def _environment(
        self, link: StepLink, token: str, rng: RngState, files: RecordingFiles | None
    ) -> dict[str, str]:
        # ns-3 reads NS_GLOBAL_VALUE, so a program that sets no seed gets this one; ns-3 takes the
        # first of two values for a name.
        inherited = os.environ.get("NS_GLOBAL_VALUE")
        values = [f"RngSeed={rng.seed}", f"RngRun={rng.run}"]
        if self._settings.communication_infos:
            values.append("CommunicationInfos=true")
        if self._settings.communication_report:
            values.append("CommunicationReport=true")
        if inherited:
            values.append(inherited)
        variables = {
            **self._scenario.variables,
            **address_variables(link, token),
            "DEFIANCE_ROUNDS": self._rounds,
            "DEFIANCE_CHECK_BOUNDS": self._settings.check_bounds,
            "DEFIANCE_SIMULATION": str(self._settings.number),
            "NS_GLOBAL_VALUE": ";".join(values),
        }
        if self._settings.spin_us is not None:
            variables["DEFIANCE_SPIN_US"] = str(self._settings.spin_us)
        if files is not None:
            variables.update(files.variables())
        return variables
