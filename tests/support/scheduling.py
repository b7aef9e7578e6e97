# SPDX-License-Identifier: GPL-2.0-only
"""Durations of tests: slow tests, the order of files, and their distribution to workers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

DURATIONS = Path(__file__).parents[1] / "durations.txt"
"""Mean seconds of a case of each test function, where a case takes `SLOW_S` or more."""
SLOW_S = 1.0
UNLISTED_S = 0.2
"""The mean duration of other tests."""


class FilesTogether(LoadScopeScheduling):
    """A scheduler that keeps tests of a file, or all of RLlib, in one worker.

    Then a module's fixtures are made once, and trainings of RLlib do not compete.
    """

    def _split_scope(self, nodeid: str) -> str:
        return _group(nodeid)

    def remove_node(self, node: Any) -> str | None:
        """Return the test that a lost worker was in, which no other worker is to run."""
        units = self.assigned_work[node].values()
        waiting = [(unit, name) for unit in units for name, is_done in unit.items() if not is_done]
        for unit, name in waiting[:1]:
            unit[name] = True
        super().remove_node(node)
        return waiting[0][1] if waiting else None


class DurationsWriter:
    """A plugin that writes how long the slow test functions took, setup and teardown included."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._cases: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        function = _function(report.nodeid, is_long="long" in report.keywords)
        self._seconds[function] += report.duration
        self._cases[function] += report.when == "setup"

    def pytest_sessionfinish(self) -> None:
        means = {name: seconds / self._cases[name] for name, seconds in self._seconds.items()}
        slow = sorted(name for name, mean in means.items() if mean >= SLOW_S)
        DURATIONS.write_text("".join(f"{means[name]:.1f} {name}\n" for name in slow))


def read_durations() -> dict[str, float]:
    """Return the mean seconds of a case of each slow function; see `_function()`."""
    lines = DURATIONS.read_text().splitlines() if DURATIONS.exists() else []
    pairs = (line.partition(" ") for line in lines)
    return {name: float(seconds) for seconds, _, name in pairs}


def mark_slow(items: Iterable[pytest.Item]) -> None:
    """Mark the tests that `make test` leaves to `make test-all` because of their durations.

    In each file, the quickest function stays, and the functions that are marked as essential.
    """
    durations = read_durations()
    files: defaultdict[str, defaultdict[str, list[pytest.Item]]]
    files = defaultdict(lambda: defaultdict(list))
    for item in items:
        if not item.get_closest_marker("long"):
            files[_file(item.nodeid)][_function(item.nodeid)].append(item)
    for functions in files.values():
        quickest = min(functions, key=lambda name: (durations.get(name, 0.0), name))
        for name, cases in functions.items():
            if name in durations and name != quickest:
                for case in cases:
                    if not case.get_closest_marker("essential"):
                        case.add_marker(pytest.mark.slow)


def sort_by_duration(items: list[pytest.Item]) -> None:
    """Put what takes longest first, so that no worker ends with a long file.

    All workers have to find the same order: sums are added in the order of collection.
    """
    durations = read_durations()
    groups: defaultdict[str, float] = defaultdict(float)
    for item in items:
        is_long = item.get_closest_marker("long") is not None
        name = _function(item.nodeid, is_long=is_long)
        groups[_group(item.nodeid)] += durations.get(name, UNLISTED_S)
    items.sort(key=lambda item: -groups[_group(item.nodeid)])


def _function(nodeid: str, *, is_long: bool = False) -> str:
    """Return the name of a test's function; its cases that are marked as long have their own."""
    name = nodeid.partition("[")[0]
    return f"{name} (long)" if is_long else name


def _file(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def _group(nodeid: str) -> str:
    """Return the name of the group of tests that stays together in a worker."""
    file = _file(nodeid)
    return "ray" if "rllib" in PurePosixPath(file).parts else file
