# SPDX-License-Identifier: GPL-2.0-only
"""A prepared simulation process, from which each episode's is forked."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from defiance_zoo._proto.defiance.v1 import fork_pb2 as pb
from defiance_zoo.errors import ParameterError, SimulationCrashed, SimulationTimeout

_PACKET_BYTES = 4096
_ANSWER_TIMEOUT_S = 10.0
_STATUS_TIMEOUT_S = 1.0
_Identity = tuple[object, ...]

_servers: dict[_Identity, ForkServer] = {}
_servers_lock = threading.Lock()


class ForkServer:
    """A process of a scenario's program that has done what a process does once.

    All environments of this Python process that run the same program in the same circumstances
    (environment variables, working directory) share one; it ends with the last of them.
    """

    @classmethod
    def obtain(cls, program: Path, timeout_s: float) -> ForkServer:
        """Return the server of a program, prepared if there is none; `release()` it afterwards.

        Raises:
            SimulationCrashed: The program ended before it was prepared.
            SimulationTimeout: It took too long.
        """
        identity = _identify(program)
        with _servers_lock:
            server = _servers.get(identity)
            if server is None or server.is_dead:
                server = _servers[identity] = cls(program, identity, timeout_s)
            server._users += 1
            return server

    def release(self) -> None:
        """Say that it is needed no more by one who has obtained it."""
        with _servers_lock:
            self._users -= 1
            if self._users == 0:
                if _servers.get(self._identity) is self:
                    del _servers[self._identity]
                self._close()

    def __init__(self, program: Path, identity: _Identity, timeout_s: float) -> None:
        self._program, self._identity = program, identity
        self._users = 0
        self._lock = threading.Lock()
        self._requests = 0
        self._statuses: dict[int, int] = {}
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self._popen = subprocess.Popen(
                [str(program)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                env={**os.environ, "DEFIANCE_FORK_SERVER": str(theirs.fileno())},
            )
        except BaseException:
            self._socket.close()
            raise
        finally:
            theirs.close()
        try:
            self._await_ready(timeout_s)
        except BaseException:
            self._close()
            raise

    @property
    def is_dead(self) -> bool:
        """Whether it has ended, as when it was killed."""
        return self._popen.poll() is not None

    def is_for(self, program: Path) -> bool:
        """Whether it still is what `obtain()` would return for a program."""
        return not self.is_dead and self._identity == _identify(program)

    def _await_ready(self, timeout_s: float) -> None:
        assert self._popen.stdout is not None
        output = self._popen.stdout.fileno()
        words = b""
        poller = select.poll()
        for descriptor in (self._socket.fileno(), output):
            poller.register(descriptor, select.POLLIN)
        deadline = time.monotonic() + timeout_s
        while (left := deadline - time.monotonic()) > 0:
            ready = dict(poller.poll(left * 1000))
            if self._socket.fileno() in ready and self._socket.recv(_PACKET_BYTES):
                return
            chunk = os.read(output, _PACKET_BYTES) if output in ready else b""
            words = (words + chunk)[-4 * _PACKET_BYTES :]
            if output in ready and not chunk:
                status = self._popen.wait()
                raise SimulationCrashed(
                    f"{self._program} ended with status {status} before its simulation began",
                    last_words=words.decode(errors="replace").strip(),
                )
        raise SimulationTimeout(
            f"{self._program} did not get to RlSimulation::Parse() within {timeout_s:g} s",
            last_words=words.decode(errors="replace").strip(),
        )

    def fork(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        inherited: Sequence[int],
    ) -> tuple[int, int]:
        """Start a simulation.

        Args:
            arguments: Of the program, without its name.
            environment: Variables to add to the server's.
            inherited: Descriptors, as of `SpawnedProgram`.

        Returns:
            Its process id, and a pidfd, which the caller closes.

        Raises:
            ParameterError: The arguments are too long.
            SimulationCrashed: The server has died.
        """
        with self._lock:
            self._requests += 1
            request = pb.ForkRequest(
                arguments=arguments, environment=environment, number=self._requests
            ).SerializeToString()
            try:
                socket.send_fds(self._socket, [request], list(inherited))
                return self._await_fork(self._requests)
            except OSError as error:
                if isinstance(error, TimeoutError | BlockingIOError | ConnectionError):
                    raise SimulationCrashed(
                        f"the fork server of {self._program} does not answer: {error}"
                    ) from None
                raise ParameterError(f"arguments of {len(request)} bytes: {error}") from None

    def _await_fork(self, number: int) -> tuple[int, int]:
        deadline = time.monotonic() + _ANSWER_TIMEOUT_S
        while True:
            message, pidfds = self._receive(deadline - time.monotonic())
            if message.WhichOneof("payload") != "forked":
                continue
            if message.forked.number == number:
                return message.forked.pid, pidfds[0]
            os.close(pidfds[0])  # of a request whose answer nobody waited for, as after Ctrl-C

    def _receive(self, timeout_s: float) -> tuple[pb.ForkServerMessage, list[int]]:
        """Take the next message, noting how simulations have ended."""
        self._socket.settimeout(max(timeout_s, 0.0))
        packet, descriptors, _, _ = socket.recv_fds(self._socket, _PACKET_BYTES, 1)
        if not packet:
            raise ConnectionResetError("it has ended")
        message = pb.ForkServerMessage.FromString(packet)
        if message.WhichOneof("payload") == "exited":
            self._statuses[message.exited.pid] = message.exited.status
        return message, descriptors

    def has_ended(self, pidfd: int) -> bool:
        """Whether a simulation has ended."""
        poller = select.poll()
        poller.register(pidfd, select.POLLIN)
        return bool(poller.poll(0))

    def wait(self, pid: int, pidfd: int) -> int | None:
        """Wait for the end of a simulation.

        Returns:
            How it ended, as `subprocess.Popen.wait()` does; None if the server died before it could
            tell.
        """
        poller = select.poll()
        poller.register(pidfd, select.POLLIN)
        poller.poll()
        deadline = time.monotonic() + _STATUS_TIMEOUT_S
        with self._lock, contextlib.suppress(OSError):
            while pid not in self._statuses:
                self._receive(deadline - time.monotonic())
        status = self._statuses.pop(pid, None)
        return None if status is None else os.waitstatus_to_exitcode(status)

    def _close(self) -> None:
        self._socket.close()
        self._popen.kill()  # it has nothing to finish; simulations have lifelines of their own
        self._popen.wait()
        if self._popen.stdout is not None:
            self._popen.stdout.close()


def _identify(program: Path) -> _Identity:
    """Return what a prepared process depends on, beside its arguments."""
    stat = program.stat()
    return (
        os.getpid(),
        program,
        stat.st_ino,
        stat.st_mtime_ns,
        os.getcwd(),  # noqa: PTH109 (a Path of it would be made at every reset)
        frozenset(os.environ.items()),
    )
