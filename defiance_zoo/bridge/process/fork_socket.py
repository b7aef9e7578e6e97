# SPDX-License-Identifier: GPL-2.0-only
"""The conversation with a process that turns requests into forks of itself; see `fork.proto`."""

from __future__ import annotations

import errno
import os
import select
import socket
from collections.abc import Mapping, Sequence

from defiance_zoo._proto.defiance.v1 import fork_pb2 as pb
from defiance_zoo.bridge.system.resources import failure
from defiance_zoo.bridge.system.running_time import running_time, slice_ms
from defiance_zoo.errors import ParameterError

PACKET_BYTES = 4096
ANSWER_TIMEOUT_S = 10.0
"""Longest wait for an answer, in seconds."""


class ForkSocket:
    """Python's end of the conversation. A single thread at a time may use it."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._requests = 0
        self._place: int | None = None
        self._deadline = 0.0
        self.statuses: dict[int, int] = {}
        try:
            self._keep_place()
        except BaseException:
            self.close()
            raise

    def fileno(self) -> int:
        """Return the descriptor, readable when a message has arrived."""
        return self._socket.fileno()

    def await_ready(self, timeout_s: float) -> tuple[int, int]:
        """Wait until the process accepts requests.

        Returns the process id and a pidfd, which the caller closes.
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
        timeout_s: float = ANSWER_TIMEOUT_S,
    ) -> tuple[int, int]:
        """Start a simulation.

        `silent`: whether output to files that were open at the snapshot is discarded.
        `predecessor`: pidfd and output descriptor of another process: the simulation begins when
        that process has ended, or has written everything. `timeout_s`: time limit in seconds, at
        most 10.
        """
        self._keep_place()
        self._requests += 1
        try:
            request = pb.ForkRequest(
                arguments=arguments,
                environment=environment,
                number=self._requests,
                silent=silent,
                awaits_predecessor=predecessor is not None,
            )
        except UnicodeEncodeError as error:
            raise ParameterError(
                f"{error.object!r} is not UTF-8, and cannot be passed to a simulation: choose "
                "another name"
            ) from None
        descriptors = [*inherited, *(predecessor or ())]
        timeout_s = min(timeout_s, ANSWER_TIMEOUT_S)
        self._deadline = running_time() + timeout_s
        self._socket.settimeout(timeout_s)
        socket.send_fds(self._socket, [request.SerializeToString()], descriptors)
        return self._await_fork(self._requests)

    def _await_fork(self, number: int) -> tuple[int, int]:
        while True:
            message, descriptors = self._receive(self._deadline - running_time())
            if message.forked.number == number:
                if error := message.forked.error:
                    reason = OSError(error, os.strerror(error))
                    raise failure(reason, "no simulation could be forked")
                return message.forked.pid, descriptors[0]
            for each in descriptors:  # from an unread answer, as after Ctrl-C
                os.close(each)
            self._keep_place()

    def await_exit(self, pid: int, timeout_s: float) -> None:
        """Wait for the exit status of a process that has ended."""
        deadline = running_time() + timeout_s
        while pid not in self.statuses:
            for each in self._receive(deadline - running_time())[1]:
                os.close(each)

    def _receive(self, timeout_s: float) -> tuple[pb.ForkServerMessage, list[int]]:
        """Take the next message, and store exit statuses."""
        if self._socket.fileno() < 0:
            raise ConnectionResetError("its connection was closed")
        poller = select.poll()
        poller.register(self._socket, select.POLLIN)
        deadline = running_time() + timeout_s
        while not poller.poll(slice_ms(timeout_s)):
            timeout_s = deadline - running_time()
            if timeout_s <= 0:
                raise TimeoutError("it has not answered in time")
        kept = self._place is not None
        self._give_place()
        self._socket.settimeout(0.0)
        packet, descriptors, _, _ = socket.recv_fds(self._socket, PACKET_BYTES, 1)
        if not packet:
            raise ConnectionResetError("it has ended")
        message = pb.ForkServerMessage.FromString(packet)
        if message.WhichOneof("payload") == "exited":
            self.statuses[message.exited.pid] = message.exited.status
            if kept:
                self._keep_place()
        elif not descriptors and not message.forked.error:
            error = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            raise failure(error, "the pidfd of a process has been dropped")
        return message, descriptors

    def _keep_place(self) -> None:
        """Reserve a descriptor for the next pidfd, which the kernel drops if none is free."""
        if self._place is None:
            try:
                self._place = os.eventfd(0)
            except OSError as error:
                raise failure(error, "no descriptor is left for a pidfd") from None

    def _give_place(self) -> None:
        place, self._place = self._place, None  # first: a signal may arrive when it is closed
        if place is not None:
            os.close(place)

    def close(self) -> None:
        """Close the socket, which ends the process; may be called again."""
        self._give_place()
        self._socket.close()
