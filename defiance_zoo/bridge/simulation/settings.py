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
"""The longest timeout: the operating system's poll() takes a third more in milliseconds."""


@dataclass(frozen=True)
class LaunchSettings:
    """Settings of the start of simulations, and of the link to them.

    Attributes:
        launch: `fork` prepares one process, and forks each episode's from it; a program that
            cannot, because it does not use `RlSimulation`, is spawned. `spawn` starts a new process
            for each episode. `attach` prints the command that starts the simulation and waits until
            somebody has run it, in a debugger or elsewhere.
        timeout_s: How long a simulation may take from one message to the next, in seconds, up to
            1,800,000 (three weeks).
        attach_timeout_s: How long to wait for a simulation that is started by hand, in seconds.
        announce: With `attach`, called with the command; prints it to `sys.stderr` by default.
        output: `tail` keeps the end of the simulation's output for error messages; `show` copies
            all of it to `sys.stderr` as well.
        endpoint: Endpoint that simulations connect to.
        link: `zmq` connects to `endpoint`. `local` goes through pipes, for simulations that this
            process starts.
        spin_us: With `link="local"`, how long each side looks for the next message before it
            sleeps, in microseconds. Waking a process on another core takes longer than that; but
            as long as it spins, the core is busy. None: Python sleeps at once; a simulation, with
            `zmq` on this machine as well, looks for a tenth of the time that it has computed for,
            at most 200 us, and seldom where answers take longer. 0: neither looks.
        affinity: `free` leaves it to the kernel which core runs what. `shared` puts the simulation
            and the thread that steps it on one core until `close()`; threads that this one starts
            meanwhile, such as those of a learner, inherit that. `spread` gives the simulations of
            each environment a core, in turn.
        max_snapshots: How many snapshots of an environment may exist at a time; each is a process.
        communication_infos: Whether the infos of agents tell what RL applications have sent to each
            other since the beginning of the episode, as
            `communication/<sender>/<receiver>/<kind>/<quantity>`.
        communication_report: Whether simulations count that, so that it can be asked for.
        check_bounds: Which observations are compared with the bounds of their space; kind, element
            type and shape always are. `auto`: in the simulation all of up to 256 numbers, and a
            part of larger ones; in Python the first ones, and one round in 64. `always`: all, on
            both sides; a vector leaves it to the simulations. `never`: none, and elements of
            actions may be out of the bounds of a Box, too.
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

    def __post_init__(self) -> None:
        """Refuse what cannot be meant.

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
                "link='local' goes through inherited pipes: it has no endpoint, nobody can attach"
            )
        if self.launch == "attach" and self.affinity != "free":
            raise ParameterError("a simulation that is started by hand chooses its core itself")
        if not 0 <= (self.spin_us or 0.0) <= _LONGEST_SPIN_US:
            raise ParameterError(f"spin_us={self.spin_us!r} is not from 0 to {_LONGEST_SPIN_US}")
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
            many: Whether there are several side by side.

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
        ParameterError: It is not.
    """
    if value not in literal.__args__:
        raise ParameterError(f"{name}={value!r} is not one of {list(literal.__args__)}")
