# SPDX-License-Identifier: GPL-2.0-only
"""The client of the keeper, in the simulation's process."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import shutil
import socket
import sys
from collections.abc import Mapping
from typing import Any

from defiance_zoo.bridge.system.single_process import start_companion
from defiance_zoo.scenario.hosts import keeper
from defiance_zoo.scenario.native import core

_CAPABILITIES = {"CAP_NET_ADMIN": 12, "CAP_SYS_ADMIN": 21}
"""Numbers of capabilities, by name: for network devices, and for namespaces."""
_TUN = "/dev/net/tun"
_PROGRAMS = {"unshare": "util-linux", "ip": "iproute2"}
"""Packages of Debian, by the program that hosts need."""


def find_lack() -> str:
    """Return the missing right or program for hosts, with the remedy; empty if none is missing."""
    missing = [name for name, number in _CAPABILITIES.items() if not _effective() >> number & 1]
    if missing:
        return (
            "sc.host() makes network namespaces and tap devices, and this process lacks "
            f"{' and '.join(missing)}: run the program as root, or in a user namespace, as by "
            "`unshare --map-root-user --net python PROGRAM.py`"
        )
    if not os.access(_TUN, os.R_OK | os.W_OK, effective_ids=True):
        state = "may not be read and written" if os.path.exists(_TUN) else "does not exist"  # noqa: PTH110
        return (
            f"sc.host() makes tap devices, and {_TUN} {state}: load the kernel's module `tun`, or "
            f"start the container with `--device {_TUN}`, or have root allow it by "
            f"`chmod 666 {_TUN}`"
        )
    for program, package in _PROGRAMS.items():
        if shutil.which(program) is None:
            return f"sc.host() needs the program {program!r}, which Debian's package {package} has"
    return ""


def is_root_outside() -> bool:
    """Return whether this process's user is root outside of all user namespaces, too."""
    with open("/proc/self/uid_map") as lines:  # noqa: PTH123
        for inside, outside, count in (map(int, line.split()) for line in lines):
            if inside <= os.getuid() < inside + count:
                return os.getuid() - inside + outside == 0
    return False


def _effective() -> int:
    """Return the effective capabilities of this process, a bit each."""
    with open("/proc/self/status") as status:  # noqa: PTH123
        lines = dict(line.split(":", 1) for line in status)
    return int(lines["CapEff"], 16)


class KeeperLost(Exception):
    """The keeper has ended, and all programs with it."""


class KeeperClient:
    """Starts the keeper of an episode, and gives it orders."""

    def __init__(self) -> None:
        if lack := find_lack():
            core.fail_without_hosts(lack)
        self.statuses: dict[int, int] = {}
        self.faults: dict[int, str] = {}
        self._programs = 0
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.setblocking(False)
        with theirs:
            command = (
                *("unshare", "--pid", "--fork", "--kill-child", "--"),
                *(sys.executable, "-I", "-S", keeper.__file__, str(theirs.fileno())),
            )
            self._process, *pipes = start_companion(command, [theirs.fileno()])
        for each in pipes:
            os.close(each)
        atexit.register(self._close)

    def make_host(self, address: str, gateway: str) -> int:
        """Make a network namespace with a tap device; return the descriptor of the device."""
        return self._ask("host", address=address, gateway=gateway)[1][0]

    def make_disk(self, size: int) -> str:
        """Mount a file system of some bytes in memory, and return its empty folder."""
        try:
            path: str = self._ask("disk", size=size)[0]["disk"]
        except OSError as error:
            core.fail_without_hosts(f"host.disk() mounts a file system in memory: {error}")
        return path

    def run(
        self,
        output: int,
        host: int,
        command: list[str],
        environment: dict[str, str],
        limits: Mapping[str, int],
    ) -> int:
        """Start a program, without waiting for it; return its number."""
        self._programs += 1
        self._order(
            "run",
            output,
            number=self._programs,
            host=host,
            command=command,
            environment=environment,
            limits=dict(limits),
        )
        return self._programs

    def kill(self, number: int, kind: int) -> None:
        """Send a signal to a program and the processes of its group, unless it has ended."""
        self._order("signal", number=number, kind=kind)

    def read_reports(self) -> None:
        """Take all reports of programs that have ended."""
        with contextlib.suppress(BlockingIOError):
            while True:
                self._receive()

    def _ask(self, what: str, **arguments: Any) -> tuple[dict[str, Any], list[int]]:
        """Order, and return the answer with its descriptors."""
        self._order(what, **arguments)
        answer = None
        while answer is None:
            select.select([self._socket], [], [])
            answer, descriptors = self._receive()
        if "fault" in answer:
            raise OSError(answer["fault"])
        return answer, descriptors

    def _order(self, what: str, *descriptors: int, **arguments: Any) -> None:
        message = json.dumps({"do": what, **arguments}).encode()
        if len(message) > keeper.MESSAGE_BYTES:
            raise OSError(f"a command and its environment are too long: {len(message)} bytes")
        while True:
            try:
                socket.send_fds(self._socket, [message], descriptors)
            except BrokenPipeError:
                return  # the next report is an error
            except BlockingIOError:  # the keeper may wait until its reports are read
                select.select([self._socket], [self._socket], [])
                self.read_reports()
            else:
                return

    def _receive(self) -> tuple[dict[str, Any] | None, list[int]]:
        """Take a message; for the end of a program, note it and return None."""
        packet, descriptors, _, _ = socket.recv_fds(self._socket, keeper.MESSAGE_BYTES, 1)
        if not packet:
            raise KeeperLost("the process that keeps the hosts has ended, and their programs too")
        message: dict[str, Any] = json.loads(packet)
        if "program" not in message:
            return message, descriptors
        if "fault" in message:
            self.faults[message["program"]] = message["fault"]
        else:
            self.statuses[message["program"]] = message["status"]
        return None, descriptors

    def _close(self) -> None:
        """End the keeper, and wait until the programs have ended."""
        self._socket.close()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._process, 0)
