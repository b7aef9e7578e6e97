# SPDX-License-Identifier: GPL-2.0-only
"""Running programs: started by this process, or forked from a prepared process."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from defiance_zoo.bridge.system.threads import ONE_THREAD
from defiance_zoo.errors import ParameterError

_RUNNER = Path(__file__).resolve().parents[2] / "scenario" / "__main__.py"
_OF_PYTHON = ("PYTHONHASHSEED=0", *(f"{name}={value}" for name, value in ONE_THREAD.items()))


def is_python(program: Path) -> bool:
    """Return whether a program is a scenario in Python."""
    return program.suffix == ".py"


def require_free_stem(program: Path) -> None:
    """Refuse a scenario in Python that would hide a module of Python's standard library.

    A scenario is a module of its process, and its folder comes first in the search for modules.

    Raises:
        ParameterError: The file has the name of such a module.
    """
    if program.stem in sys.stdlib_module_names:
        raise ParameterError(
            f"{program} would hide Python's module {program.stem!r}, which the simulation "
            "needs: give the file another name"
        )


def start_words(program: Path) -> list[str]:
    """Return the command that starts a scenario's program, without arguments.

    Python runs Python files with one thread, as a process with several cannot be copied, and with
    the same hashes in each process, which determine the order of sets.
    """
    if is_python(program):
        return ["/usr/bin/env", *_OF_PYTHON, sys.executable, str(_RUNNER), str(program)]
    return [str(program)]


class Reaper(Protocol):
    """The source of exit statuses: the parent of processes, or a process that it informs."""

    def wait(self, pid: int, pidfd: int) -> int | None:
        """Wait for the end of a process.

        Returns:
            The status as from `subprocess.Popen.wait()`; None if it is unknown.
        """

    def dismiss(self, pid: int, pidfd: int) -> None:
        """Wait for the end of a killed process, whose status is not needed."""


class Program(Protocol):
    """A program that runs, or has ended.

    Attributes:
        pid: Process id.
        exit_fd: Pidfd, readable once the program has ended.
        reaper: The source of exit statuses of the program and its copies.
    """

    pid: int
    exit_fd: int
    reaper: Reaper

    def kill(self) -> None:
        """Kill the program, if it has not ended."""

    def poll(self) -> int | None:
        """Return the exit status, as `subprocess.Popen.poll()` does."""

    def wait(self) -> int | None:
        """Wait for the end of the program, and return its status; None if it is unknown."""


class SpawnedProgram:
    """A child of this process; see `Program`."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        inherited: Sequence[int],
    ) -> None:
        """Start the program.

        Args:
            command: Program and arguments.
            environment: Environment variables to add to this process's.
            inherited: Descriptors: the read end of its lifeline, its output and, with a local link,
                the ends for reading and writing messages, and shared memory if any.

        Raises:
            OSError: The program could not be started.
        """
        lifeline, output, *pipes = inherited
        variables = {**os.environ, **environment, "DEFIANCE_LIFELINE": str(lifeline)}
        if pipes:
            variables["DEFIANCE_ENDPOINT"] = f"fd:{','.join(map(str, pipes))}"
        self._popen = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(lifeline, *pipes),
            start_new_session=True,  # Ctrl-C is for Python, which then ends the simulation
            env=variables,
        )
        self.pid = self._popen.pid
        try:
            self.exit_fd = os.pidfd_open(self.pid)
        except OSError:
            self._popen.kill()
            self._popen.wait()
            raise
        self.reaper: Reaper = Children()

    def kill(self) -> None:
        """See `Program`."""
        self._popen.kill()

    def poll(self) -> int | None:
        """See `Program`."""
        return self._popen.poll()

    def wait(self) -> int | None:
        """See `Program`."""
        return self._popen.wait()


class ForkedProgram:
    """A fork of a prepared process, or a copy of a simulation; see `Program`.

    Attributes:
        pid: Process id.
    """

    def __init__(self, pid: int, exit_fd: int, reaper: Reaper) -> None:
        """Take over a process.

        Args:
            pid: Process id.
            exit_fd: Pidfd of the process.
            reaper: The source of its exit status.
        """
        self.pid, self.exit_fd, self.reaper = pid, exit_fd, reaper
        self._status: int | None = None
        self._ended = False

    def kill(self) -> None:
        """See `Program`."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.exit_fd, signal.SIGKILL)

    def poll(self) -> int | None:
        """See `Program`."""
        if not self._ended and not has_ended(self.exit_fd):
            return None
        return self.wait()

    def wait(self) -> int | None:
        """See `Program`."""
        if not self._ended:
            self._status = self.reaper.wait(self.pid, self.exit_fd)
            self._ended = True
        return self._status

    def dispose(self) -> None:
        """Kill it, and close its pidfd; may be called at garbage collection."""
        self.kill()
        if not self._ended:
            self._ended = True
            self.reaper.dismiss(self.pid, self.exit_fd)
        os.close(self.exit_fd)


class Children:
    """Reaps children of this process; see `Reaper`."""

    def wait(self, pid: int, pidfd: int) -> int | None:
        """See `Reaper`; None if it was not a child of this process, as with a shell in between."""
        await_end(pidfd)
        with contextlib.suppress(ChildProcessError):
            if (end := os.waitid(os.P_PIDFD, pidfd, os.WEXITED)) is not None:
                return end.si_status if end.si_code == os.CLD_EXITED else -end.si_status
        return None

    def dismiss(self, pid: int, pidfd: int) -> None:
        """See `Reaper`."""
        self.wait(pid, pidfd)


def has_ended(pidfd: int) -> bool:
    """Return whether the process of a pidfd has ended."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(0))


def await_end(pidfd: int) -> None:
    """Wait until the process of a pidfd has ended."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    poller.poll()


def describe_exit(status: int | None) -> str:
    """Describe the end of a process from the `status` that `Program.wait()` returned."""
    if status is None:
        return "ended with an unknown status, as its fork server does not answer"
    if status < 0:
        return f"was killed by {signal.Signals(-status).name}"
    return f"ended with status {status}"
