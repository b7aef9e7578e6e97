# SPDX-License-Identifier: GPL-2.0-only
"""Hosts, and the real programs that run in them."""

from __future__ import annotations

import functools
import operator
import os
import signal
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address
from typing import TYPE_CHECKING

from defiance_zoo.scenario.native import core, load
from defiance_zoo.scenario.network import Link, Node, require_node

if TYPE_CHECKING:
    from defiance_zoo.scenario.hosts.keeper_client import KeeperClient

_CHECK_INTERVAL = "100ms"
_LAST_CHARACTERS = 2000
_PRIVATE = ("DEFIANCE_", "NS_GLOBAL_VALUE", "PYTHONHASHSEED")
"""Prefixes of environment variables that are for the simulation only."""

_hosts: dict[str, Host] = {}
"""The hosts of the episode, by name; a process plays one episode."""
_programs: list[HostProgram] = []
"""The programs of the hosts, started or waiting to start."""


class HostProgram:
    """A real program in a host.

    Attributes:
        host: Host of the program.
        command: The program and its arguments.
    """

    def __init__(
        self,
        host: Host,
        command: Sequence[str],
        keeper: KeeperClient,
        check: bool,
        limits: Mapping[str, int],
    ) -> None:
        """Make a file for the program's output; see `Host.run`."""
        self.host, self.command, self._limits = host, list(command), limits
        self._keeper, self._number = keeper, 0
        self._output, self._taken = os.memfd_create("output"), 0
        self._may_fail = not check

    @property
    def output(self) -> str:
        """The text that the program has written to its standard output and standard error.

        Of long texts, the last MiB is kept; a first line states the number of dropped bytes. A
        program may buffer text until it ends, as C's library does without a terminal.
        """
        from defiance_zoo.scenario.hosts.keeper import OUTPUT_BYTES

        while True:
            size = os.fstat(self._output).st_size
            dropped = max(size - OUTPUT_BYTES, 0)
            text = os.pread(self._output, size - dropped, dropped).decode(errors="replace")
            if (
                os.fstat(self._output).st_size - size < OUTPUT_BYTES
            ):  # else it was dropped meanwhile
                return f"[{dropped} bytes were dropped]\n{text}" if dropped else text

    def new_lines(self) -> list[str]:
        """Return the complete lines that the program has written since the last call.

        Raises:
            RuntimeError: It has written more than a MiB since then, so that lines were dropped.
        """
        from defiance_zoo.scenario.hosts.keeper import OUTPUT_BYTES

        waiting = os.fstat(self._output).st_size - self._taken
        if waiting > OUTPUT_BYTES:
            raise RuntimeError(f"{self.command[0]!r} writes too much: read its lines more often")
        text = os.pread(self._output, waiting, self._taken)
        whole = text[: text.rfind(b"\n") + 1]
        self._taken += len(whole)
        return whole.decode(errors="replace").splitlines()

    @property
    def status(self) -> int | None:
        """The exit status, or minus the number of the signal; None: the program has not ended."""
        self._keeper.read_reports()
        return self._keeper.statuses.get(self._number)

    def start(self, environment: Mapping[str, str]) -> None:
        """Start the program with these variables as its whole environment."""
        self._number = self._keeper.run(
            self._output, self.host.number, self.command, dict(environment), self._limits
        )

    def kill(self, kind: int = signal.SIGKILL) -> None:
        """Send a signal to the program and the processes of its group, if it has not ended.

        Args:
            kind: The signal, such as `signal.SIGTERM`.

        Raises:
            RuntimeError: The program has not been started, because the episode has not begun.
        """
        if self._number == 0:
            raise RuntimeError(f"{self.command[0]!r} has not been started: kill it in an event")
        self._may_fail = True
        self._keeper.kill(self._number, int(kind))

    def require_success(self) -> None:
        """Raise RuntimeError if the program has failed."""
        import shlex

        status, fault = self.status, self._keeper.faults.get(self._number)
        if fault is not None:
            how = f"cannot be started: {fault}"
        elif not status or self._may_fail:
            return
        else:
            how = f"ended with status {status}" if status > 0 else f"died of signal {-status}"
            last = self.output[-_LAST_CHARACTERS:].strip()
            how += f", which run(..., check=False) allows. Its output ends with:\n{last}"
        raise RuntimeError(f"{shlex.join(self.command)!r} in host {self.host.name!r} {how}")


class Host:
    """A Linux network namespace whose only network device is linked with a node.

    Attributes:
        node: The node, which is the host's gateway.
        name: Name of the host in messages.
        address: The host's IPv4 address.
        number: Number of the host in its episode.
    """

    def __init__(self, node: Node, name: str, keeper: KeeperClient, network: str | None) -> None:
        """Make the namespace, its device and its routes; see `host`."""
        self.node, self.name, self._keeper, self.number = node, name, keeper, len(_hosts)
        number = load("_scripting_hosts").add_device(node.id)
        (gateway,) = Link([node.devices[number]]).assign(network)
        self.address = str(IPv4Address(gateway) + 1)
        length = network.partition("/")[2] if network else "24"
        tap = keeper.make_host(f"{self.address}/{length}", gateway)
        load("_scripting_hosts").connect_tap(node.id, number, tap, self.address)
        self._device = number

    @property
    def dropped_frames(self) -> int:
        """The number of malformed frames that programs of the host have sent, which are dropped."""
        count: int = load("_scripting_hosts").count_dropped(self.node.id, self._device)
        return count

    def disk(self, size: int) -> str:
        """Return an empty folder of a new file system in memory, which ends with the episode.

        Programs that start later see it, in all hosts; the simulation does not. If Linux refuses to
        mount it, the environment raises `HostsUnavailable`.

        Args:
            size: Bytes of the file system.

        Raises:
            ValueError: The size is not positive.
        """
        if operator.index(size) < 1:
            raise ValueError(f"a disk of {size} bytes: a disk has at least 1")
        return self._keeper.make_disk(size)

    def run(
        self,
        command: str | Sequence[str],
        *,
        check: bool = True,
        environment: Mapping[str, str] | None = None,
        memory: int | None = None,
        processes: int | None = None,
        cpu_time: int | None = None,
    ) -> HostProgram:
        """Start a program in the host now or, before the episode begins, at its beginning.

        No shell reads the command: for a shell, run `["sh", "-c", "..."]`. The program runs with
        the rights of the simulation, and is killed at the end of the episode.

        Args:
            command: The program and its arguments: a list of words, or a text, which is split as by
                a shell.
            check: Whether the episode fails when the program ends by itself with a status other
                than 0.
            environment: Variables to add to those of the simulation.
            memory: Most bytes of address space of each process of the program; None: no limit.
            processes: Most processes and threads of the user who runs the simulation; the program
                starts no more. None: no limit.
            cpu_time: Most seconds of processor time of each process of the program, which is
                killed then; None: no limit.

        Returns:
            The program.

        Raises:
            FileNotFoundError: There is no such program.
            OSError: Command and environment are too long.
            ValueError: A limit is not positive, or Linux does not apply it to this user.
        """
        import shlex  # which scenarios without hosts never need
        import shutil

        from defiance_zoo.scenario.hosts.keeper_client import is_root_outside

        words = (
            shlex.split(command) if isinstance(command, str) else [str(each) for each in command]
        )
        if not words or shutil.which(words[0]) is None:
            raise FileNotFoundError(f"host {self.name!r} cannot run {command!r}: no such program")
        limits = {"memory": memory, "processes": processes, "cpu_time": cpu_time}
        given = {name: operator.index(most) for name, most in limits.items() if most is not None}
        if wrong := [name for name, most in given.items() if most < 1]:
            raise ValueError(f"{wrong[0]}={given[wrong[0]]}: a limit is at least 1")
        if processes is not None and is_root_outside():
            raise ValueError(
                f"processes={processes}: Linux does not limit the processes of root; run the "
                "program as another user in a user namespace, as by `unshare --map-root-user --net`"
            )
        program = HostProgram(self, words, self._keeper, check, given)
        own = {k: v for k, v in os.environ.items() if not k.startswith(_PRIVATE)}
        variables = {**own, **(environment or {})}
        if core.now() > core.Time(0):
            program.start(variables)
        else:
            core.schedule(0, 0, lambda: program.start(variables))
        _programs.append(program)
        return program


def host(node: Node, name: str, *, network: str | None = None) -> Host:
    """Give a node a host: a Linux network namespace whose only network device is linked with it.

    The node is the gateway of the host. Other nodes find the host by `route_globally()`, which
    comes after all links and hosts. If a right or a program is missing, the episode does not begin,
    and the environment raises `HostsUnavailable`.

    Args:
        node: A node with an Internet stack.
        name: Name of the host in messages.
        network: Network of the addresses of the host and of its gateway, such as "10.9.0.0/30"; see
            `Link.assign`.

    Raises:
        TypeError: The first argument is not a node.
        ValueError: The simulation does not run in real time, the node has no Internet stack, or
            another host has the name.
    """
    if not core.is_in_real_time():
        raise ValueError(
            "real programs need a simulation in real time: declare the scenario as "
            "sc.Simulation(name, realtime=True)"
        )
    if name in _hosts:
        raise ValueError(f"there are two hosts {name!r}: give each its own name")
    if not core.has_internet(require_node(node)):
        raise ValueError(f"{node} has no Internet stack: sc.nodes(..., internet=True)")
    _hosts[name] = Host(node, name, _start_keeper(), network)
    return _hosts[name]


@functools.cache
def _start_keeper() -> KeeperClient:
    """Start the keeper of this process; the episode fails when a program fails."""
    from defiance_zoo.scenario.hosts.keeper_client import KeeperClient

    keeper = KeeperClient()

    def check() -> None:
        for each in _programs:
            each.require_success()

    core.schedule(_CHECK_INTERVAL, _CHECK_INTERVAL, check)
    return keeper
