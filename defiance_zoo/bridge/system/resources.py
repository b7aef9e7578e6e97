# SPDX-License-Identifier: GPL-2.0-only
"""Resources of simulations: descriptors, processes, memory, time and temporary files."""

from __future__ import annotations

import _thread
import contextlib
import errno
import os
import resource
import time
from pathlib import Path

from defiance_zoo.errors import (
    NoTemporaryDirectory,
    ResourcesExhausted,
    SimulationCrashed,
    TooFewDescriptors,
    TooFewProcesses,
    TooLittleMemory,
)

_TOO_MANY_OPEN = (errno.EMFILE, errno.ENFILE)
_STANDARD = 3
"""Descriptors below this one are standard input, output and error."""


def occupy_standard_descriptors() -> None:
    """Open the null device in place of closed standard descriptors.

    Otherwise the next pipe or socket would take the number of a closed one: a child process would
    overwrite it with its standard descriptors, and prints would write to it.
    """
    for standard in range(_STANDARD):
        try:
            os.fstat(standard)
        except OSError:
            with contextlib.suppress(OSError):
                null = os.open(os.devnull, os.O_RDWR)  # the lowest free number: this one
                os.set_inheritable(null, True)


def require_descriptors(count: int) -> None:
    """Check that this many descriptors can be opened.

    The check precedes work that cannot be undone after a failure: libzmq ends the process, and the
    kernel drops descriptors that were sent.
    """
    with contextlib.ExitStack() as opened:
        for _ in range(count):
            try:
                opened.callback(os.close, os.eventfd(0))
            except OSError as error:
                raise failure(error, f"{count} descriptors are needed") from None


def require_threads(count: int) -> None:
    """Check that this many threads can be started.

    libzmq ends the process if it cannot start its threads.
    """
    gate = _thread.allocate_lock()
    started: list[int] = []

    def run() -> None:
        started.append(_thread.get_native_id())
        with gate:
            pass

    count_started = 0
    with gate:
        try:
            for _ in range(count):
                _thread.start_new_thread(run, ())
                count_started += 1
        except RuntimeError:
            raise _no_thread(f"{count} threads are needed") from None
        finally:
            while len(started) < count_started:
                time.sleep(0)
    while any(os.path.exists(f"/proc/self/task/{each}") for each in started):  # noqa: PTH110
        time.sleep(0)


def failure(error: OSError, what: str) -> ResourcesExhausted | SimulationCrashed:
    """Return the package's error for an error of the operating system."""
    if error.errno in _TOO_MANY_OPEN:
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return TooFewDescriptors(
            f"{what}: {error.strerror} (at most {limit} are allowed): close environments, "
            "release snapshots, or raise the limit, as by `ulimit -n`"
        )
    if error.errno == errno.EAGAIN:  # of a fork server: no other such call waits
        return too_few_processes(f"{what}: {error.strerror}")
    if error.errno == errno.ENOMEM:
        return too_little_memory(f"{what}: {error.strerror}")
    return SimulationCrashed(f"{what}: {error}")


def too_few_processes(what: str) -> TooFewProcesses:
    """Return the error for a process or thread that could not be started."""
    limits = [f"{count} ({name})" for name, count in _process_limits().items()]
    allowed = f" (limits: {', '.join(limits)})" if limits else ""
    return TooFewProcesses(
        f"{what}{allowed}: end processes or threads, or raise the limit, as by `ulimit -u`, or in "
        "a container by --pids-limit"
    )


def _process_limits() -> dict[str, int]:
    """Return the limits of the number of processes and threads, by name."""
    limits = {}
    own, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if own != resource.RLIM_INFINITY:
        limits["`ulimit -u`, of this user"] = own
    with contextlib.suppress(OSError, ValueError):
        limits["pids.max, of this control group"] = int(
            Path("/sys/fs/cgroup/pids.max").read_text(encoding="ascii")
        )
    return limits


def _no_thread(what: str) -> ResourcesExhausted:
    """Return the error for a thread that Python could not start, for an unknown reason."""
    if memory_limit() is not None:
        return too_little_memory(f"{what}, and cannot be started")
    return too_few_processes(f"{what}, and cannot be started")


def memory_limit() -> int | None:
    """Return the limit of this process's address space in bytes; None if there is none."""
    size, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if size == resource.RLIM_INFINITY else size


def too_little_memory(what: str) -> TooLittleMemory:
    """Return the error for a lack of memory."""
    size = memory_limit()
    allowed = "" if size is None else f" (at most {size} bytes are allowed)"
    return TooLittleMemory(
        f"{what}{allowed}: end programs, or raise the limit, as by `ulimit -v`, or in a container "
        "by --memory"
    )


def no_directory(error: Exception) -> NoTemporaryDirectory:
    """Return the error for temporary files that could not be made."""
    return NoTemporaryDirectory(
        f"no socket can be made in the folder for temporary files: {error}; free space there, or "
        "set TMPDIR to another folder with a short path"
    )


def processor_time_s() -> float:
    """Return the processor time of this process and of its simulations, in seconds."""
    import psutil  # few processes measure their time

    own = psutil.Process()
    total = 0.0
    for process in (own, *own.children(recursive=True)):
        with contextlib.suppress(psutil.Error):
            total += sum(process.cpu_times()[:4])  # user, system, ended children's
    return total
