# SPDX-License-Identifier: GPL-2.0-only
"""A prepared simulation process, from which the process of each episode is forked."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import signal
import socket
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from defiance_zoo.bridge.process.fork_socket import ANSWER_TIMEOUT_S, PACKET_BYTES, ForkSocket
from defiance_zoo.bridge.process.programs import await_end, start_words
from defiance_zoo.bridge.system.fork_safety import close_quietly, not_for_forks
from defiance_zoo.bridge.system.imports import file_stamp
from defiance_zoo.bridge.system.running_time import running_time, slice_ms
from defiance_zoo.bridge.system.signals import SHOW, heeds_signal
from defiance_zoo.errors import ParameterError, SimulationCrashed, SimulationTimeout

_STATUS_TIMEOUT_S = 1.0
_QUIET_S = 0.1
"""Time in seconds without output after which a process's report is complete."""
_Identity = tuple[object, ...]

_servers: dict[_Identity, ForkServer] = {}
_servers_lock = threading.Lock()


def _forget_servers() -> None:
    """Reset the server in a fork, as another thread of the parent may have held locks."""
    global _servers_lock
    _servers_lock = threading.Lock()
    _servers.clear()


os.register_at_fork(after_in_child=_forget_servers)


class ForkServerLost(SimulationCrashed):
    """A fork server has ended, or does not answer; it can be replaced."""


class ForkServer:
    """A process of a scenario's program after its one-time preparation.

    Environments of this Python process with the same program, environment variables and working
    directory share a server, which ends with the last of them.
    """

    @classmethod
    def obtain(
        cls, program: Path, timeout_s: float, variables: Mapping[str, str] | None = None
    ) -> ForkServer:
        """Return the server of a program, started if there is none; `release()` it afterwards.

        The preparation may take `timeout_s` seconds. `variables` are added to the environment,
        unless this process has them.
        """
        given = {**(variables or {}), **os.environ}
        identity = _identify(program, given)
        with _servers_lock:
            server = _servers.get(identity)
            if server is None or server.is_dead:
                server = _servers[identity] = cls(program, identity, given, timeout_s)
            server._users += 1
            return server

    def share(self) -> ForkServer:
        """Return this server for another user, who has to `release()` it."""
        with _servers_lock:
            self._users += 1
        return self

    def release(self) -> None:
        """Release the server for one of its users; the last release closes it."""
        with _servers_lock:
            self._users -= 1
            if self._users == 0:
                if _servers.get(self._identity) is self:
                    del _servers[self._identity]
                self._close()

    def __init__(
        self, program: Path, identity: _Identity, variables: Mapping[str, str], timeout_s: float
    ) -> None:
        self._program, self._identity = program, identity
        self._users = 0
        self._patience_s = _STATUS_TIMEOUT_S  # 0 after a timeout, until it answers
        self._lock = threading.Lock()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, contextlib.ExitStack() as opened:
            self._conversation = ForkSocket(ours)
            opened.callback(self._conversation.close)
            lifeline, self._lifeline = os.pipe()
            opened.callback(os.close, self._lifeline)
            try:
                self._popen = self._spawn(theirs.fileno(), lifeline, variables)
            finally:
                os.close(lifeline)
            opened.pop_all()
        not_for_forks(self)
        try:
            self._await_ready(timeout_s)
        except BaseException:
            self._close()
            raise

    def disown(self) -> None:
        self._lock = threading.Lock()  # another thread of the parent may have held it
        self._conversation.close()
        if self._popen.stdout is not None:
            self._popen.stdout.close()
        close_quietly((self._lifeline,))

    def _spawn(
        self, connection: int, lifeline: int, variables: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        own = {"DEFIANCE_FORK_SERVER": str(connection), "DEFIANCE_LIFELINE": str(lifeline)}
        return subprocess.Popen(
            start_words(self._program),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(connection, lifeline),
            start_new_session=True,
            env={**variables, **own},
        )

    @property
    def is_dead(self) -> bool:
        """Whether it has ended, for instance by a signal."""
        return self._popen.poll() is not None

    def is_for(self, program: Path, variables: Mapping[str, str]) -> bool:
        """Return whether `obtain()` would return this server for a program and variables."""
        given = {**variables, **os.environ}
        return not self.is_dead and self._identity == _identify(program, given)

    def _await_ready(self, timeout_s: float) -> None:
        assert self._popen.stdout is not None
        output, conversation = self._popen.stdout.fileno(), self._conversation.fileno()
        exit_fd = os.pidfd_open(self._popen.pid)
        words = b""
        poller = select.poll()
        for descriptor in (conversation, output, exit_fd):
            poller.register(descriptor, select.POLLIN)
        deadline = running_time() + timeout_s
        try:
            while (left := deadline - running_time()) > 0:
                ready = dict(poller.poll(slice_ms(left)))
                if conversation in ready:
                    with contextlib.suppress(ConnectionError):  # its output holds the reason
                        os.close(self._conversation.await_ready(left)[1])
                        return
                    poller.unregister(conversation)
                if output in ready:
                    chunk = os.read(output, PACKET_BYTES)
                    words = (words + chunk)[-4 * PACKET_BYTES :]
                    if not chunk:  # the process may outlive its output
                        poller.unregister(output)
                elif exit_fd in ready:
                    raise self._ended(words)
        finally:
            os.close(exit_fd)
        raise SimulationTimeout(
            f"{self._program} did not reach RlSimulation::Parse() within {timeout_s:g} s",
            last_words=self._add_stack(words).decode(errors="replace").strip(),
        )

    def _ended(self, words: bytes) -> SimulationCrashed:
        """Return the error for a program that has ended after the output `words`."""
        status = self._popen.wait()
        kind = ForkServerLost if status == -signal.SIGKILL else SimulationCrashed
        return kind(
            f"{self._program} ended with status {status} before its simulation began",
            last_words=words.decode(errors="replace").strip(),
        )

    def _add_stack(self, words: bytes) -> bytes:
        """Return the output of the program, and the current lines of a scenario in Python."""
        assert self._popen.stdout is not None
        output = self._popen.stdout.fileno()
        if heeds_signal(self._popen.pid):
            self._popen.send_signal(SHOW)
            chunk = b"..."
            while chunk and select.select([output], [], [], _QUIET_S)[0]:
                chunk = os.read(output, PACKET_BYTES)
                words = (words + chunk)[-4 * PACKET_BYTES :]
        return words

    def fork(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        inherited: Sequence[int],
        predecessor: tuple[int, int] | None = None,
        *,
        timeout_s: float = ANSWER_TIMEOUT_S,
    ) -> tuple[int, int]:
        """Start a simulation; return its process id and its pidfd, which the caller closes.

        `arguments` lack the name of the program, and `environment` is added to the server's.
        `inherited` are descriptors, as for `SpawnedProgram`; see `ForkSocket.fork` for the others.
        """
        with self._lock:
            try:
                forked = self._conversation.fork(
                    arguments,
                    environment,
                    inherited,
                    predecessor=predecessor,
                    timeout_s=timeout_s,
                )
            except OSError as error:
                if isinstance(error, TimeoutError | BlockingIOError | ConnectionError):
                    self._end()
                    raise ForkServerLost(
                        f"the fork server of {self._program} does not answer: {error}",
                        last_words=self._last_words(),
                    ) from None
                if error.errno != errno.EMSGSIZE:
                    raise
                size = sum(map(len, arguments))
                raise ParameterError(f"arguments of {size} characters: {error}") from None
            self._patience_s = _STATUS_TIMEOUT_S
            return forked

    def wait(self, pid: int, pidfd: int) -> int | None:
        """See `Reaper`; None if the server died before its report."""
        await_end(pidfd)
        with self._lock:
            return self._take_status(pid)

    def dismiss(self, pid: int, pidfd: int) -> None:
        await_end(pidfd)
        # At garbage collection, this thread may hold the lock; then the status is kept.
        if self._lock.acquire(blocking=False):
            try:
                self._take_status(pid)
            finally:
                self._lock.release()

    def _take_status(self, pid: int) -> int | None:
        with contextlib.suppress(OSError):
            patience_s, self._patience_s = self._patience_s, 0.0
            self._conversation.await_exit(pid, patience_s)
            self._patience_s = _STATUS_TIMEOUT_S
        status = self._conversation.statuses.pop(pid, None)
        return None if status is None else os.waitstatus_to_exitcode(status)

    def _end(self) -> None:
        """End the process; its reports about ends of simulations can still be read."""
        self._popen.kill()  # it has nothing to finish; simulations have their own lifelines
        self._popen.wait()

    def _last_words(self) -> str:
        """Return the last output of a process that has ended."""
        assert self._popen.stdout is not None
        output = self._popen.stdout.fileno()
        os.set_blocking(output, False)
        try:
            return os.read(output, 4 * PACKET_BYTES).decode(errors="replace").strip()
        except BlockingIOError:  # its forks hold the output, too
            return ""

    def _close(self) -> None:
        self._conversation.close()
        self._end()
        os.close(self._lifeline)
        if self._popen.stdout is not None:
            self._popen.stdout.close()


def _identify(program: Path, variables: Mapping[str, str]) -> _Identity:
    """Return the files and variables, besides arguments, on which a prepared process depends."""
    working = os.stat(".")  # noqa: PTH116 (a Path would be made at each reset)
    return (
        os.getpid(),
        program,
        file_stamp(program),
        working.st_dev,  # unlike the path, also known for a deleted working directory
        working.st_ino,
        frozenset(variables.items()),
    )
