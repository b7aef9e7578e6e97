# SPDX-License-Identifier: GPL-2.0-only
"""The number of running simulations of a process, counted from outside."""

from __future__ import annotations

import psutil

_SERVER, _TOKEN = "DEFIANCE_FORK_SERVER", "DEFIANCE_TOKEN"
"""Environment variables of fork servers, their forks, and single simulations."""


def count_simulations(pid: int) -> int:
    """Return the number of simulations below a process, including those that wait.

    Args:
        pid: Process id of a process of the same user; the result is 0 after its end.
    """
    try:
        below = psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return 0
    marks = {each.pid: _marks(each) for each in below}
    parents = {each.pid: each.ppid() for each in below if _lives(each)}
    return sum(
        _SERVER in marks.get(parent, ()) if _SERVER in marks[each] else _TOKEN in marks[each]
        for each, parent in parents.items()
    )


def _marks(process: psutil.Process) -> set[str]:
    try:
        return {_SERVER, _TOKEN} & process.environ().keys()
    except psutil.Error:
        return set()


def _lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
