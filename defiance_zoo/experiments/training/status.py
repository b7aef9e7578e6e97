# SPDX-License-Identifier: GPL-2.0-only
"""The activity of a run, for those who follow it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Literal

from defiance_zoo.bridge.system.reading import read_json
from defiance_zoo.bridge.system.whole_files import overwrite, to_json, write_json
from defiance_zoo.errors import NotWritten

STATUS = "status.json"
State = Literal[
    "imitating", "training", "evaluating", "finished", "interrupted", "pruned", "failed"
]
_WORKING: tuple[State, ...] = ("imitating", "training", "evaluating")
_EVERY_S = 1.0
_MOST_BYTES = 2**16


class Status:
    """Writes `status.json`: each change of the state at once, and counters once a second."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / STATUS
        self._state: State | None = None
        self._written = 0.0

    def write(self, state: State, **facts: Any) -> None:
        """Write the current activity and its progress."""
        now = time.monotonic()
        if state == self._state and now - self._written < _EVERY_S:
            return
        self._state, self._written = state, now
        values = {"state": state, **facts}
        try:
            write_json(self._path, values, None)
        except NotWritten:
            if state in _WORKING:
                raise
            overwrite(self._path, to_json(values) + "\n")


def read_status(folder: Path) -> dict[str, Any]:
    """Return the last status of the run in a folder; empty if there is none."""
    try:
        status = read_json(folder / STATUS, _MOST_BYTES)
    except (OSError, ValueError):
        return {}
    return status if isinstance(status, dict) else {}
