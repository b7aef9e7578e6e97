# SPDX-License-Identifier: GPL-2.0-only
"""Running programs: started by this process, or forked from one that is prepared."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import Protocol

from defiance_zoo.simulation.fork_server import ForkServer


class Program(Protocol):
    """A program that runs, or has ended.

    Attributes:
        exit_fd: A pidfd, readable once it has ended.
    """

    exit_fd: int

    def kill(self) -> None:
        """End it at once, if it has not ended."""

    def poll(self) -> int | None:
        """Return how it ended, as `subprocess.Popen.poll()` does."""

    def wait(self) -> int | None:
        """Wait for its end, and return how it ended; None if nobody knows."""


class SpawnedProgram:
    """A child of this process; see `Program`."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        inherited: Sequence[int],
    ) -> None:
        """Start it.

        Args:
            command: Program and arguments.
            environment: Variables to add to this process's own.
            inherited: Descriptors: the read end of its lifeline, where it writes, and with a local
                link where it reads messages from and writes them to, and maybe shared memory.

        Raises:
            OSError: It could not be started.
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
        self.exit_fd = os.pidfd_open(self._popen.pid)

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
    """A fork of a prepared process; see `Program`."""

    def __init__(
        self,
        server: ForkServer,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        inherited: Sequence[int],
    ) -> None:
        """Fork it; arguments as for `SpawnedProgram`, without the name of the program.

        Raises:
            SimulationCrashed: The server has died.
        """
        self._server = server
        self._pid, self.exit_fd = server.fork(arguments, environment, inherited)
        self._status: int | None = None
        self._ended = False

    def kill(self) -> None:
        """See `Program`."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.exit_fd, signal.SIGKILL)

    def poll(self) -> int | None:
        """See `Program`."""
        if not self._ended and not self._server.has_ended(self.exit_fd):
            return None
        return self.wait()

    def wait(self) -> int | None:
        """See `Program`."""
        if not self._ended:
            self._status = self._server.wait(self._pid, self.exit_fd)
            self._ended = True
        return self._status
