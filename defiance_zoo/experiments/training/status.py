# SPDX-License-Identifier: GPL-2.0-only
"""The activity of a run, for commands and pages that show it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Literal, NamedTuple

import psutil

from defiance_zoo.bridge.system.reading import read_json
from defiance_zoo.errors import NotWritten
from defiance_zoo.experiments.workbench.files import overwrite, to_json, write_json

STATUS = "status.json"
State = Literal[
    "imitating", "training", "evaluating", "finished", "interrupted", "pruned", "failed"
]
WORKING: tuple[State, ...] = ("imitating", "training", "evaluating")
_EVERY_S = 1.0
_MOST_BYTES = 2**16
_CLOCK_S = 10.0
"""Maximum correction of the clock, in seconds, while a run works."""


class RunStatus(NamedTuple):
    """The last written status of a run.

    Attributes:
        state: Its activity or end; `killed`: its process has ended without a report.
        pid: Process id; None if the run has ended.
        facts: Further values: `steps`, `until`.
    """

    state: str
    pid: int | None
    facts: dict[str, Any]


class Status:
    """Writes `status.json`: each change of the state at once, and counters once a second."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / STATUS
        self._state: State | None = None
        self._written = 0.0
        process = psutil.Process()
        self._process = {"pid": os.getpid(), "process_began": process.create_time()}

    def write(self, state: State, **facts: Any) -> None:
        """Write the current activity and its progress."""
        now = time.monotonic()
        if state == self._state and now - self._written < _EVERY_S:
            return
        self._state, self._written = state, now
        values = {"state": state, **facts, **self._process}
        try:
            write_json(self._path, values, None)
        except NotWritten:
            if state in WORKING:
                raise
            overwrite(self._path, to_json(values) + "\n")


def read_status(folder: Path) -> RunStatus | None:
    """Return the last status of the run in a folder; None if there is none."""
    try:
        plain = read_json(folder / STATUS, _MOST_BYTES)
        state, pid, began = (plain.pop(name) for name in ("state", "pid", "process_began"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    if not isinstance(state, str):
        return None
    if state not in WORKING:
        return RunStatus(state, None, plain)
    return RunStatus(state, pid, plain) if _lives(pid, began) else RunStatus("killed", None, plain)


def _lives(pid: Any, began: Any) -> bool:
    try:
        process = psutil.Process(pid)
        same = abs(process.create_time() - began) < _CLOCK_S
        return same and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, TypeError, ValueError):
        return False
