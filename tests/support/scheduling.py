# SPDX-License-Identifier: GPL-2.0-only
"""The order of tests, their distribution to workers, and how long they take."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path, PurePosixPath

import pytest
from xdist.scheduler import LoadScopeScheduling

DURATIONS = Path(__file__).parents[1] / "durations.txt"
"""Seconds of each test function, of all its cases together; workers need only their order."""


class FilesTogether(LoadScopeScheduling):
    """A scheduler that keeps tests of a file, or all of RLlib, in one worker.

    Then a module's fixtures are made once, and trainings of RLlib do not compete.
    """

    def _split_scope(self, nodeid: str) -> str:
        """Return the name of the group that stays together."""
        file = nodeid.partition("::")[0]
        return "ray" if "rllib" in PurePosixPath(file).parts else file


class DurationsWriter:
    """A plugin that writes how long each test function took, setup and teardown included."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        function = report.nodeid.partition("[")[0]
        if "long" in report.keywords:  # its other cases may run with `make test`
            function += " (long)"
        self._seconds[function] += report.duration

    def pytest_sessionfinish(self) -> None:
        lines = [f"{seconds:.2f} {function}" for function, seconds in self._seconds.items()]
        DURATIONS.write_text("".join(f"{line}\n" for line in sorted(lines, key=_function)))


def read_durations() -> dict[str, float]:
    """Return the seconds of each test function; ` (long)` marks its cases that are long."""
    lines = DURATIONS.read_text().splitlines() if DURATIONS.exists() else []
    return {_function(line): float(line.partition(" ")[0]) for line in lines}


def sort_by_duration(items: list[pytest.Item]) -> None:
    """Put the files that take longest first, so that no worker ends with a long one."""
    durations = read_durations()
    functions = {item.nodeid.partition("[")[0] for item in items}
    functions |= {f"{name} (long)" for name in functions}
    files: defaultdict[str, float] = defaultdict(float)
    for name in functions & durations.keys():
        files[name.partition("::")[0]] += durations[name]
    items.sort(key=lambda item: -files[item.nodeid.partition("::")[0]])


def _function(line: str) -> str:
    return line.partition(" ")[2]
