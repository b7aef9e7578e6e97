# SPDX-License-Identifier: GPL-2.0-only
"""The order of tests, their distribution to workers, and how long they take."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path, PurePosixPath

import pytest
from xdist.scheduler import LoadScopeScheduling

DURATIONS = Path(__file__).parents[1] / "durations.txt"
"""Seconds of the test functions that take longest, of all their cases together.

Workers need only the order of files, so nobody has to measure again after each change.
"""
LEAST_S = 1.0
"""The time in seconds from which a function is listed: a third of them takes nine tenths."""


class FilesTogether(LoadScopeScheduling):
    """A scheduler that keeps tests of a file, or all of RLlib, in one worker.

    Then a module's fixtures are made once, and trainings of RLlib do not compete.
    """

    def _split_scope(self, nodeid: str) -> str:
        """Return the name of the group that stays together."""
        return _group(nodeid)


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
        listed = sorted(each for each in self._seconds.items() if each[1] >= LEAST_S)
        lines = [f"{seconds:.1f} {function}\n" for function, seconds in listed]
        DURATIONS.write_text("".join(lines))


def read_durations() -> dict[str, float]:
    """Return the seconds of listed test functions; ` (long)` marks their cases that are long."""
    rows = [line.split(" ", 1) for line in DURATIONS.read_text().splitlines()]
    return {function: float(seconds) for seconds, function in rows}


def sort_by_duration(items: list[pytest.Item]) -> None:
    """Put the groups that take longest first, so that no worker ends with a long one."""
    durations = read_durations()
    functions = {item.nodeid.partition("[")[0] for item in items}
    functions |= {f"{name} (long)" for name in functions}
    groups: defaultdict[str, float] = defaultdict(float)
    for name in sorted(functions & durations.keys()):  # all workers get the same sums
        groups[_group(name)] += durations[name]
    items.sort(key=lambda item: -groups[_group(item.nodeid)])


def _group(nodeid: str) -> str:
    """Return the name of the tests that one worker runs: a file, or all of RLlib."""
    file = nodeid.partition("::")[0]
    return "ray" if "rllib" in PurePosixPath(file).parts else file
