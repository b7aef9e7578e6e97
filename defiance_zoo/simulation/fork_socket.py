# SPDX-License-Identifier: GPL-2.0-only
"""The conversation with a process that turns requests into forks of itself; see `fork.proto`."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping, Sequence

from defiance_zoo._proto.defiance.v1 import fork_pb2 as pb

PACKET_BYTES = 4096
_ANSWER_TIMEOUT_S = 10.0


class ForkSocket:
    """Python's end of the conversation. A single thread at a time may use it.

    Attributes:
        statuses: How processes have ended, by process id, as `waitpid()` gives it.
    """

    def __init__(self, connected: socket.socket) -> None:
        """Take over a connected socket."""
        self._socket = connected
        self._requests = 0
        self.statuses: dict[int, int] = {}

    def fileno(self) -> int:
        """Return the descriptor, readable when a message has come."""
        return self._socket.fileno()

    def await_ready(self, timeout_s: float) -> tuple[int, int]:
        """Wait until the process takes requests.

        Returns:
            Its process id, and a pidfd, which the caller closes.

        Raises:
            OSError: It has ended, or took too long.
        """
        message, descriptors = self._receive(timeout_s)
        return message.ready.pid, descriptors[0]

    def fork(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        inherited: Sequence[int],
        *,
        silent: bool = False,
        predecessor: tuple[int, int] | None = None,
    ) -> tuple[int, int]:
        """Start a simulation.

        Args:
            arguments: Of the program, without its name.
            environment: Variables to add to the process's own.
            inherited: Descriptors, as of `SpawnedProgram`.
            silent: Of a snapshot: whether what it writes to files that were open then is lost.
            predecessor: A pidfd, and where its output is read: the simulation begins when that
                process has ended, or has written everything.

        Returns:
            Its process id, and a pidfd, which the caller closes.

        Raises:
            OSError: The process has ended or takes too long, or the request is too long.
        """
        self._requests += 1
        request = pb.ForkRequest(
            arguments=arguments,
            environment=environment,
            number=self._requests,
            silent=silent,
            awaits_predecessor=predecessor is not None,
        )
        descriptors = [*inherited, *(predecessor or ())]
        self._socket.settimeout(_ANSWER_TIMEOUT_S)
        socket.send_fds(self._socket, [request.SerializeToString()], descriptors)
        return self._await_fork(self._requests)

    def _await_fork(self, number: int) -> tuple[int, int]:
        deadline = time.monotonic() + _ANSWER_TIMEOUT_S
        while True:
            message, descriptors = self._receive(deadline - time.monotonic())
            if message.forked.number == number:
                return message.forked.pid, descriptors[0]
            for each in descriptors:  # of an answer that nobody waited for, as after Ctrl-C
                os.close(each)

    def await_exit(self, pid: int, timeout_s: float) -> None:
        """Wait until it is known how a process has ended, which it must have.

        Raises:
            OSError: The process that knows it has ended, or took too long.
        """
        deadline = time.monotonic() + timeout_s
        while pid not in self.statuses:
            for each in self._receive(deadline - time.monotonic())[1]:
                os.close(each)

    def _receive(self, timeout_s: float) -> tuple[pb.ForkServerMessage, list[int]]:
        """Take the next message, noting how processes have ended."""
        self._socket.settimeout(max(timeout_s, 0.0))
        packet, descriptors, _, _ = socket.recv_fds(self._socket, PACKET_BYTES, 1)
        if not packet:
            raise ConnectionResetError("it has ended")
        message = pb.ForkServerMessage.FromString(packet)
        if message.WhichOneof("payload") == "exited":
            self.statuses[message.exited.pid] = message.exited.status
        return message, descriptors

    def close(self) -> None:
        """Close the socket, upon which the process ends; may be called again."""
        self._socket.close()
