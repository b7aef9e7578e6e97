# SPDX-License-Identifier: GPL-2.0-only
"""Settings of the start of simulations, of the link to them, and of the files that they write."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Literal, get_args

from defiance_zoo.bridge.process.affinity import Affinity
from defiance_zoo.bridge.process.programs import start_words
from defiance_zoo.bridge.system.directories import sweep
from defiance_zoo.bridge.system.extension import exchange_module
from defiance_zoo.bridge.system.plain_values import plain_value, require_flag, whole_number
from defiance_zoo.bridge.system.resources import occupy_standard_descriptors
from defiance_zoo.bridge.system.spelling import require_choice
from defiance_zoo.bridge.transport.pipe_link import PipeLink
from defiance_zoo.bridge.transport.shared_memory_link import SharedMemoryLink
from defiance_zoo.bridge.transport.step_link import StepLink
from defiance_zoo.bridge.transport.zmq_endpoint import Endpoint
from defiance_zoo.bridge.transport.zmq_link import ZmqLink
from defiance_zoo.errors import ParameterError


@dataclass(frozen=True)
class StartCommand:
    """The command that starts an awaited simulation.

    Attributes:
        variables: Environment variables of the program.
        program: Path of the program.
        arguments: Arguments of the program.
    """

    variables: Mapping[str, str]
    program: Path
    arguments: Sequence[str]

    def shell(self, *tool: str) -> str:
        """Return the command as a line for a shell, after a tool such as `gdb --args` if given."""
        assignments = [f"{name}={shlex.quote(value)}" for name, value in self.variables.items()]
        words = [*tool, *start_words(self.program), *self.arguments]
        return " ".join([*assignments, shlex.join(words)])


Announce = Callable[[StartCommand], None]


def print_command(command: StartCommand) -> None:
    """Print the command to the standard error."""
    if sys.stderr is not None:
        print(
            f"Waiting for the simulation; start it with:\n  {command.shell()}",
            file=sys.stderr,
            flush=True,
        )


@dataclass(frozen=True)
class RecordingFiles:
    """The files that a simulation writes about its episode, and their folder.

    Attributes:
        folder: An existing folder, which gets `topology.json`, `messages.csv`, `links.csv`,
            `positions.csv`, `moves.csv` and `events.csv`.
        interval_ns: Simulated time between samples of links and positions, in nanoseconds.
        pcap: Whether packets of the devices of all links are captured, in a file for each.
    """

    folder: str | PathLike[str]
    interval_ns: int = 10_000_000
    pcap: bool = False

    def __post_init__(self) -> None:
        if not Path(self.folder).is_dir():
            raise ParameterError(f"there is no folder {str(self.folder)!r} to record to")
        whole_number("interval_ns", self.interval_ns)

    def variables(self) -> dict[str, str]:
        """Return the environment variables for a simulation, by name."""
        return {
            "DEFIANCE_RECORD_TO": str(Path(self.folder).absolute()),
            "DEFIANCE_RECORD_INTERVAL": f"{self.interval_ns}ns",
            "DEFIANCE_RECORD_PCAP": str(self.pcap).lower(),
        }


LinkKind = Literal["zmq", "local"]


Launch = Literal["fork", "spawn", "attach"]
Rounds = Literal["sequential", "simultaneous"]
Output = Literal["tail", "show"]
CheckBounds = Literal["auto", "always", "never"]
_LONGEST_SPIN_US = 1000
_LONGEST_WAIT_S = 1_800_000
"""The longest timeout: three quarters of the limit of the operating system's poll()."""


@dataclass(frozen=True)
class LaunchSettings:
    """Settings of the start of simulations, and of the link to them.

    Attributes:
        launch: `fork` prepares one process, and forks the process of each episode from it; a
            program without `RlSimulation` is spawned. `spawn` starts a new process for each
            episode. `attach` prints the command that starts the simulation, and waits until a user
            has run it, for example in a debugger.
        timeout_s: Longest wait for the next message of a simulation, in seconds, up to 1,800,000
            (three weeks).
        attach_timeout_s: Longest wait for a simulation that is started by hand, in seconds.
        announce: With `attach`, called with the command, which it prints to `sys.stderr` by
            default.
        output: `tail` keeps the end of the simulation's output for error messages; `show` copies
            all of it to `sys.stderr` as well.
        endpoint: Endpoint that simulations connect to.
        link: `zmq` connects to `endpoint`. `local` uses pipes and shared memory, for simulations
            that this process starts.
        spin_us: With `link="local"`, time for which each side polls for the next message before it
            sleeps, in microseconds. Waking a process on another core takes longer, but polling
            keeps the core busy. None: Python sleeps at once; a simulation (also with `zmq` on this
            machine) polls for a tenth of its last computation, at most 200 us, and seldom if
            answers take longer. 0: neither side polls.
        affinity: `free` leaves the choice of cores to the kernel. `shared` puts the simulation and
            the thread that steps it on one core until `close()`; threads that this thread starts
            meanwhile, such as a learner's, inherit the core. `spread` gives the simulations of each
            environment a core, in turn.
        max_snapshots: Maximum number of snapshots of an environment at a time; each is a process.
        communication_infos: Whether the infos of agents report the messages between RL applications
            since the beginning of the episode, as
            `communication/<sender>/<receiver>/<kind>/<quantity>`.
        communication_report: Whether simulations count these messages for `communication_report()`.
        check_bounds: Observations to compare with the bounds of their space; kind, element type and
            shape are always compared. `auto`: in the simulation, all observations of up to 256
            numbers, and a part of larger ones; in Python, the first ones, and one round in 64.
            `always`: all, on both sides; a vector leaves the check to the simulations. `never`:
            none; elements of actions may also be outside a Box's bounds.
        number: Number of the simulation in a vector environment, from 1 on, for names of files; 0:
            the environment has one simulation.
    """

    launch: Launch = "fork"
    timeout_s: float = 60.0
    attach_timeout_s: float = 3600.0
    announce: Announce = print_command
    output: Output = "tail"
    endpoint: Endpoint = field(default_factory=Endpoint)
    link: LinkKind = "zmq"
    spin_us: float | None = None
    affinity: Affinity = "free"
    max_snapshots: int = 64
    communication_infos: bool = False
    communication_report: bool = False
    check_bounds: CheckBounds = "auto"
    number: int = 0

    def __post_init__(self) -> None:
        require_choice("launch", self.launch, get_args(Launch))
        require_choice("output", self.output, get_args(Output))
        require_choice("link", self.link, get_args(LinkKind))
        require_choice("affinity", self.affinity, get_args(Affinity))
        require_choice("check_bounds", self.check_bounds, get_args(CheckBounds))
        if self.link == "local" and (self.launch == "attach" or self.endpoint != Endpoint()):
            raise ParameterError(
                "link='local' uses inherited pipes: it allows neither endpoint nor launch='attach'"
            )
        if self.launch == "attach" and self.affinity != "free":
            raise ParameterError("affinity cannot be set for a simulation that is started by hand")
        if not 0 <= (self.spin_us or 0.0) <= _LONGEST_SPIN_US:
            raise ParameterError(f"spin_us={self.spin_us!r} must be from 0 to {_LONGEST_SPIN_US}")
        if self.spin_us and self.link != "local":
            raise ParameterError("spin_us needs link='local'")
        for name in ("communication_infos", "communication_report"):
            require_flag(name, getattr(self, name))
        whole_number("max_snapshots", self.max_snapshots)
        for name in ("timeout_s", "attach_timeout_s"):
            value = plain_value(getattr(self, name))
            if type(value) not in (int, float) or not 0 < value <= _LONGEST_WAIT_S:
                raise ParameterError(
                    f"{name}={value!r} is not a time in seconds, above 0 and up to "
                    f"{_LONGEST_WAIT_S:,} (three weeks)"
                )

    def open_link(self, *, many: bool = False) -> StepLink:
        """Open the link that carries the messages of simulations with these settings.

        Args:
            many: Whether several simulations run side by side.

        Raises:
            ParameterError: The endpoint cannot be used.
            ResourcesExhausted: There are too few descriptors, or there is no room for a socket.
        """
        occupy_standard_descriptors()
        sweep()
        exchange_module()  # loaded while there are descriptors for it
        if self.link == "zmq":
            return ZmqLink(self.endpoint, watch_disconnects=self.launch == "attach")
        if many or self.spin_us:
            return SharedMemoryLink(self.timeout_s, self.spin_us or 0.0)
        return PipeLink(self.timeout_s)
