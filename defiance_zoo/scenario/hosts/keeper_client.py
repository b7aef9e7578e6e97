# SPDX-License-Identifier: GPL-2.0-only
"""The client of the keeper, in the simulation's process."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import socket
import sys
from collections.abc import Mapping
from typing import Any

from defiance_zoo.bridge.system.single_process import start_companion
from defiance_zoo.scenario.hosts import keeper
from defiance_zoo.scenario.hosts.rights import find_lack
from defiance_zoo.scenario.native import core


class KeeperLost(Exception):
    """The keeper has ended, and all programs with it."""


class KeeperClient:
    """Starts the keeper of an episode, and gives it orders.

    Attributes:
        statuses: Exit statuses of programs that have ended, by number; negative: the signal.
        faults: Reasons why programs could not be started, by number.
    """

    def __init__(self) -> None:
        """Start the keeper; a process without the rights for hosts ends its episode instead."""
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
        """Make a network namespace with a tap device.

        Args:
            address: Address of the device, with the length of its prefix.
            gateway: Address of the next hop of all routes.

        Returns:
            Descriptor of the tap device.

        Raises:
            OSError: The operating system refuses the namespace or the device.
            KeeperLost: The keeper has ended.
        """
        self._order("host", address=address, gateway=gateway)
        answer = None
        while answer is None:
            select.select([self._socket], [], [])
            answer, descriptors = self._receive()
        if not descriptors:
            raise OSError(answer["fault"])
        return descriptors[0]

    def run(
        self,
        output: int,
        host: int,
        command: list[str],
        environment: dict[str, str],
        limits: Mapping[str, int],
    ) -> int:
        """Start a program, without waiting for it.

        Args:
            output: Descriptor of the file for the program's output.
            host: Number of the namespace, from 0 on.
            command: The program and its arguments.
            environment: All environment variables of the program.
            limits: See `Host.run`, by the names of its arguments.

        Returns:
            Number of the program.

        Raises:
            OSError: Command and environment are too long.
        """
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
        """Take all reports of programs that have ended.

        Raises:
            KeeperLost: The keeper has ended.
        """
        with contextlib.suppress(BlockingIOError):
            while True:
                self._receive()

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
