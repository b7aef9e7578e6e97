# SPDX-License-Identifier: GPL-2.0-only
"""The processes that environments start, and their CPU time."""

from __future__ import annotations

import contextlib
from pathlib import Path

import psutil


def fork_servers() -> list[psutil.Process]:
    """Return the fork servers of this process."""
    return _children_with("DEFIANCE_FORK_SERVER")


def simulations() -> set[psutil.Process]:
    """Return the simulations that this process has started, running or frozen."""
    forked = [child for server in fork_servers() for child in server.children()]
    return {*forked, *_children_with("DEFIANCE_TOKEN")}


def _children_with(variable: str) -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children()
        if child.status() != psutil.STATUS_ZOMBIE and variable in child.environ()
    ]


def only_simulation() -> psutil.Process:
    """Return the only simulation of this process."""
    (simulation,) = simulations()
    return simulation


def cpu_s(process: psutil.Process) -> float:
    """Return the scheduler's CPU seconds of all threads of a process."""
    nanoseconds = 0
    for thread in Path(f"/proc/{process.pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the process may have ended
            nanoseconds += int((thread / "schedstat").read_text().split()[0])
    return nanoseconds / 1e9
