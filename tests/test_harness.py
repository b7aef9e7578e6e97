# SPDX-License-Identifier: GPL-2.0-only
"""Sharing of fork servers and workers by tests: see `kept_fork_servers.py` and `scheduling.py`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import scheduling
from conftest import ROOT, TESTS

LEAVING = """
import kept_fork_servers
from conftest import TRIAL, fork_servers, simulations
from defiance_zoo.environments import SimulationAECEnv

left = []

def play():
    env = SimulationAECEnv(TRIAL)
    env.reset()
    return env

def test_leaves_an_episode():
    left.append(play())

def test_has_no_process_of_the_test_before():
    assert fork_servers() == []

def test_closes_its_environment():
    play().close()

def test_uses_the_server_of_the_test_before():
    servers = kept_fork_servers.idle_servers()
    assert len(servers) == 1
    assert simulations() == []
    play().close()
    assert kept_fork_servers.idle_servers() == servers
    assert fork_servers() == []
"""


class Item:
    """A test that has been collected, with the names of its marks."""

    def __init__(self, nodeid: str, *marks: str) -> None:
        self.nodeid, self.marks = nodeid, {*marks}

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.marks.add(mark.name)


def items(*given: tuple[str, ...]) -> list[Any]:
    """Return tests, each with its marks."""
    return [Item(*each) for each in given]


@pytest.fixture
def durations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Durations of a few functions."""
    file = tmp_path / "durations.txt"
    file.write_text("2.0 a.py::slow\n3.0 a.py::slow (long)\n4.0 b.py::one\n1.5 b.py::two\n")
    monkeypatch.setattr(scheduling, "DURATIONS", file)


def test_a_test_that_leaves_processes_behind_fails_alone(tmp_path: Path) -> None:
    file = tmp_path / "test_leaving.py"
    file.write_text(LEAVING)
    options = ("-p", "no:cacheprovider", "-p", "conftest", "-c", ROOT / "pyproject.toml")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *options, "--rootdir", ROOT, file],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{TESTS}:{TESTS}/support"},
    )
    assert "4 passed, 1 error in" in done.stdout, done.stdout
    assert "ERROR ::test_leaves_an_episode" in done.stdout


@pytest.mark.usefixtures("durations")
def test_listed_functions_are_slow_unless_they_are_essential_or_the_quickest_of_a_file() -> None:
    given = items(
        ("a.py::slow[1]",),
        ("a.py::slow[2]", "essential"),
        ("a.py::slow[3]", "long"),
        ("a.py::quick",),
        ("b.py::one",),
        ("b.py::two[1]",),
        ("b.py::two[2]",),
        ("c.py::other",),
    )
    scheduling.mark_slow(given)
    slow = [each.nodeid for each in given if "slow" in each.marks]
    assert slow == ["a.py::slow[1]", "b.py::one"]


@pytest.mark.usefixtures("durations")
def test_files_that_take_longest_come_first_and_those_of_rllib_together() -> None:
    given = items(
        ("c.py::other",),
        ("a.py::slow[1]",),
        ("a.py::slow[2]", "long"),
        ("rllib/one.py::any[1]",),
        ("b.py::one",),
        ("b.py::two",),
        *((f"rllib/two.py::any[{i}]",) for i in range(26)),
    )
    scheduling.sort_by_duration(given)  # RLlib's 5.4 s, b's 5.5 s, a's 5 s, c's 0.2 s
    files = list(dict.fromkeys(each.nodeid.partition("::")[0] for each in given))
    assert files == ["b.py", "rllib/one.py", "rllib/two.py", "a.py", "c.py"]


def test_listed_files_exist() -> None:
    listed = {name.partition("::")[0] for name in scheduling.read_durations()}
    assert [name for name in listed if not (ROOT / name).is_file()] == []
