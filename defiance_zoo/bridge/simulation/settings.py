# SPDX-License-Identifier: GPL-2.0-only
"""Settings of the start of simulations, and of the link to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from defiance_zoo.bridge.process.affinity import Affinity
from defiance_zoo.bridge.simulation.attach_command import Announce, print_command
from defiance_zoo.bridge.system.plain_values import plain_value, whole_number
from defiance_zoo.bridge.transport.link_factory import LinkKind, open_link
from defiance_zoo.bridge.transport.step_link import StepLink
from defiance_zoo.bridge.transport.zmq_endpoint import Endpoint
from defiance_zoo.errors import ParameterError

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
        """Refuse invalid settings.

        Raises:
            ParameterError: A value is not allowed.
        """
        choose("launch", self.launch, Launch)
        choose("output", self.output, Output)
        choose("link", self.link, LinkKind)
        choose("affinity", self.affinity, Affinity)
        choose("check_bounds", self.check_bounds, CheckBounds)
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
            if not isinstance(getattr(self, name), bool):
                raise ParameterError(f"{name}={getattr(self, name)!r} is not a bool")
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
        return open_link(
            self.link,
            self.endpoint,
            timeout_s=self.timeout_s,
            spin_us=self.spin_us,
            attached=self.launch == "attach",
            many=many,
        )


def choose(name: str, value: object, literal: Any) -> None:
    """Refuse a value that is not one of a `Literal`.

    Raises:
        ParameterError: The value is not one of them.
    """
    if value not in literal.__args__:
        raise ParameterError(f"{name}={value!r} is not one of {list(literal.__args__)}")
