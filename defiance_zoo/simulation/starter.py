# SPDX-License-Identifier: GPL-2.0-only
"""Starts the processes of simulations: forked, spawned, awaited, or copied."""

from __future__ import annotations

import contextlib
import functools
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from defiance_zoo.messages.agent_roster import AgentCache
from defiance_zoo.process.affinity import Cores
from defiance_zoo.process.fork_server import ForkServer, ForkServerLost
from defiance_zoo.process.programs import ForkedProgram, Program, SpawnedProgram, start_words
from defiance_zoo.process.simulation_process import SimulationProcess
from defiance_zoo.simulation.attaching import StartCommand
from defiance_zoo.simulation.frozen_simulation import FrozenSimulation
from defiance_zoo.simulation.recording_files import RecordingFiles
from defiance_zoo.simulation.scenario import Command, Scenario
from defiance_zoo.simulation.seeding import RngState
from defiance_zoo.simulation.settings import LaunchSettings, Rounds
from defiance_zoo.simulation.simulation import Simulation
from defiance_zoo.system.resources import failure, occupy_standard_descriptors, require_descriptors
from defiance_zoo.transport.step_link import StepLink, address_variables

_DESCRIPTORS = 20
"""Of a simulation: lifeline, output, pipes, shared memory and pidfd, theirs included, and more."""

START_ATTEMPTS = 3
"""To start a simulation whose fork server was lost, or one that only tells its agents."""


class Starter:
    """Starts processes of one scenario, and holds the fork server that they come from."""

    def __init__(self, scenario: Scenario, rounds: Rounds, settings: LaunchSettings) -> None:
        """Start nothing yet.

        Args:
            scenario: What to simulate.
            rounds: Whether agents of one instant are asked together.
            settings: How simulations are started.
        """
        self._scenario, self._rounds, self._settings = scenario, rounds, settings
        self._agent_cache = AgentCache(bounded=settings.check_bounds != "never")
        self._server: ForkServer | None = None
        self._cores = Cores(settings.affinity)
        self._expected: Mapping[str, str] = {}

    def expect_fragments(self, runtime: str) -> None:
        """Have simulations that are forked from here on find ONNX Runtime prepared.

        Args:
            runtime: See `Fragment`.
        """
        self._expected = {"DEFIANCE_ONNXRUNTIME": runtime}

    def require_room(self) -> None:
        """Refuse what cannot start a simulation before anything is given up for it.

        Raises:
            TooFewDescriptors: There are not enough.
        """
        require_descriptors(_DESCRIPTORS)

    def _start(
        self,
        link: StepLink,
        command: Command,
        rng: RngState,
        predecessor: tuple[int, int] | None = None,
        files: RecordingFiles | None = None,
    ) -> Simulation:
        """Start a simulation; a fork server that is found dead is replaced.

        A server may have forked before it died, so each attempt has pipes and a token of its own.
        """
        for _ in range(START_ATTEMPTS - 1):
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

        def start(inherited: Sequence[int]) -> Program:
            if self._forks(command):
                server = self._prepared(command.program)
                forked = server.fork(
                    command.arguments,
                    variables,
                    inherited,
                    predecessor,
                    timeout_s=self._settings.timeout_s,
                )
                return ForkedProgram(*forked, server)
            words = [*start_words(command.program), *command.arguments]
            return SpawnedProgram(words, variables, inherited)

        return self._run(link, token, start)

    def _run(
        self, link: StepLink, token: str, start: Callable[[Sequence[int]], Program]
    ) -> Simulation:
        """Start a simulation by a function of the descriptors that it is to inherit."""

        def inherit(lifeline: int, output: int) -> Program:
            return start((lifeline, output, *link.inherited(token.encode())))

        occupy_standard_descriptors()
        try:
            link.open(token.encode())
            process = SimulationProcess(inherit, show_output=self._settings.output == "show")
        except BaseException as error:
            link.forget(token.encode())
            if isinstance(error, OSError):
                what = f"scenario {self._scenario.name!r} could not be started"
                raise failure(error, what) from error
            raise
        self._cores.place(process.pid)
        link.started(token.encode(), process)
        return self._simulation(link, token, process)

    def _forks(self, command: Command) -> bool:
        return self._settings.launch == "fork" and command.forks

    def _prepared(self, program: Path) -> ForkServer:
        """Return a process of the program as it is now, to fork from."""
        if self._server is None or not self._server.is_for(program, self._expected):
            self._release_server()
            timeout_s = self._settings.timeout_s
            self._server = ForkServer.obtain(program, timeout_s, self._expected)
        return self._server

    def _release_server(self) -> None:
        if self._server is not None:
            server, self._server = self._server, None
            server.release()

    def _attach(
        self, link: StepLink, command: Command, rng: RngState, files: RecordingFiles | None
    ) -> Simulation:
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
        # ns-3 reads NS_GLOBAL_VALUE itself, so a program that sets no seed of its own gets ours; of
        # two values for one name it takes the first.
        inherited = os.environ.get("NS_GLOBAL_VALUE")
        values = [f"RngSeed={rng.seed}", f"RngRun={rng.run}"]
        if self._settings.communication_infos:
            values.append("CommunicationInfos=true")
        if self._settings.communication_report:
            values.append("CommunicationReport=true")
        if inherited:
            values.append(inherited)
        variables = {
            **address_variables(link, token),
            "DEFIANCE_ROUNDS": self._rounds,
            "DEFIANCE_CHECK_BOUNDS": self._settings.check_bounds,
            "NS_GLOBAL_VALUE": ";".join(values),
        }
        if self._settings.spin_us is not None:
            variables["DEFIANCE_SPIN_US"] = str(self._settings.spin_us)
        if files is not None:
            variables.update(files.variables())
        return variables

    def _thaw(
        self, link: StepLink, frozen: FrozenSimulation, *, silent: bool = False
    ) -> Simulation:
        """Start a simulation that goes on where a copied one stood."""
        token = secrets.token_hex(16)
        # What the copy has in its environment may be the key of another link.
        address = {"DEFIANCE_CURVE_SERVER_KEY": "", **address_variables(link, token)}
        fork = functools.partial(frozen.fork, address, silent=silent)
        return self._run(link, token, fork)
