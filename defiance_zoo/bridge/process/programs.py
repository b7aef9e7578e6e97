# SPDX-License-Identifier: GPL-2.0-only
"""Running programs: started by this process, or forked from a prepared process."""

from __future__ import annotations

import contextlib
import functools
import mmap
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from defiance_zoo.bridge.system.single_process import ONE_THREAD
from defiance_zoo.bridge.system.spelling import require_choice
from defiance_zoo.errors import ParameterError

_RUNNER = Path(__file__).resolve().parents[2] / "scenario" / "__main__.py"
_OF_PYTHON = ("PYTHONHASHSEED=0", *(f"{name}={value}" for name, value in ONE_THREAD.items()))


def is_python(program: Path) -> bool:
    """Return whether a program is a scenario in Python."""
    return program.suffix == ".py"


def require_free_stem(program: Path) -> None:
    """Refuse a scenario in Python that would hide a module of Python's standard library.

    A scenario is a module of its process, and its folder comes first in the search for modules.
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

        The status is as from `subprocess.Popen.wait()`; None if it is unknown.
        """

    def dismiss(self, pid: int, pidfd: int) -> None:
        """Wait for the end of a killed process, whose status is not needed."""


class Program:
    """A program that runs, or has ended: a child of this process, a fork, or a copy."""

    def __init__(self, pid: int, exit_fd: int, reaper: Reaper) -> None:
        self.pid, self.exit_fd, self.reaper = pid, exit_fd, reaper
        self._status: int | None = None
        self._ended = False

    def kill(self) -> None:
        """Kill the program, if it has not ended."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.exit_fd, signal.SIGKILL)

    def poll(self) -> int | None:
        """Return the exit status, as `subprocess.Popen.poll()` does."""
        if not self._ended and not has_ended(self.exit_fd):
            return None
        return self.wait()

    def wait(self) -> int | None:
        """Wait for the end of the program, and return its status; None if it is unknown."""
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


class SpawnedProgram(Program):
    """A child of this process."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        inherited: Sequence[int],
    ) -> None:
        lifeline, output, *pipes = inherited
        variables = {**os.environ, **environment, "DEFIANCE_LIFELINE": str(lifeline)}
        if pipes:
            variables["DEFIANCE_ENDPOINT"] = f"fd:{','.join(map(str, pipes))}"
        popen = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(lifeline, *pipes),
            start_new_session=True,  # Ctrl-C is for Python, which then ends the simulation
            env=variables,
        )
        try:
            super().__init__(popen.pid, os.pidfd_open(popen.pid), Children())
        except OSError:
            popen.kill()
            popen.wait()
            raise
        popen.returncode = 0  # `Children` waits for the process


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


VARIABLE = "DEFIANCE_ALLOCATOR"
"""Environment variable that selects the allocator: one of `ALLOCATORS`."""
ALLOCATORS = ("jemalloc", "glibc", "system")
"""jemalloc; glibc's allocator with larger caches of small blocks; the C library's, unchanged."""
LIBRARY = Path(__file__).resolve().parents[2] / "_native" / "lib" / "libjemalloc.so.2"
"""jemalloc, which is installed with the package."""
TUNABLES = "glibc.malloc.tcache_count=512"
"""Blocks of each size that glibc keeps for a thread; it keeps 7 by default."""
JEMALLOC_OPTIONS = "oversize_threshold:0,muzzy_decay_ms:-1"
"""Keep freed blocks of 8 MB and more for ten seconds, like smaller ones; by default, jemalloc
returns them to the system at once, and each step with a large observation maps them anew."""
_SANITIZERS = (b"libasan.so", b"libtsan.so", b"liblsan.so")


def allocator_variables(program: Path, chosen: str | None = None) -> dict[str, str]:
    """Return the environment variables that set a program's allocator.

    `DEFIANCE_ALLOCATOR` selects it; the default is jemalloc. If jemalloc is not installed, glibc's
    caches become larger. No variables are set if other libraries are preloaded, or for programs
    with sanitizers, which have their own allocator. The user's `GLIBC_TUNABLES` and `MALLOC_CONF`
    remain.
    """
    chosen = chosen or os.environ.get(VARIABLE, "jemalloc")
    require_choice(VARIABLE, chosen, ALLOCATORS)
    if chosen == "system" or os.environ.get("LD_PRELOAD"):
        return {}
    if not is_python(program) and _is_sanitized(program):
        return {}
    if chosen == "jemalloc" and _can_preload():
        options = os.environ.get("MALLOC_CONF", JEMALLOC_OPTIONS)
        return {"LD_PRELOAD": str(LIBRARY), "MALLOC_CONF": options}
    return {} if "GLIBC_TUNABLES" in os.environ else {"GLIBC_TUNABLES": TUNABLES}


@functools.cache
def _can_preload() -> bool:
    """Return whether jemalloc is installed, at a path that is valid in LD_PRELOAD."""
    return LIBRARY.is_file() and not set(" :") & set(str(LIBRARY))


def _is_sanitized(program: Path) -> bool:
    with contextlib.suppress(OSError):
        found = program.stat()
        return _has_sanitizer(program, found.st_mtime_ns, found.st_size)
    return False


@functools.lru_cache
def _has_sanitizer(program: Path, changed_ns: int, size: int) -> bool:
    """Return whether a program needs the library of a sanitizer."""
    with (
        program.open("rb") as file,
        contextlib.suppress(ValueError),  # an empty file
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
    ):
        return any(content.find(name) >= 0 for name in _SANITIZERS)
    return False
