# SPDX-License-Identifier: GPL-2.0-only
"""Companion programs with the replicas: copies repeat their requests, and none is left behind."""

from __future__ import annotations

import shutil
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest
from partition_support import draw, hashes

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError, ScenarioError

PROGRAM = Path(__file__).with_name("companion.py")
SCENARIO = """import defiance_zoo.scenario.replicas as rp

PROGRAM = rp.Companion({python!r}, {program!r}, {kind!r})


class Counter(rp.Replica):
    def __init__(self):
        self.count = 0

    def recover(self, disk):
        self.count = PROGRAM.ask({{"id": self.id, "add": 0}}) % 1000

    def tick(self, now):
        self.count = PROGRAM.ask({{"id": self.id, "add": 1}}) % 1000
        self.send(self.id % self.size + 1, b"hello")

    def submit(self, request):
        return True

    def message(self, sender, data):
        self.count = PROGRAM.ask({{"id": self.id, "add": sender}}) % 1000

    def state(self):
        return rp.State([self.count])


class Counting(rp.Protocol):
    fields = [rp.number("count")]
    painter = "count:6"
    replica = Counter

    def takers(self, states):
        return [state.id for state in states if state.active]

    def check(self, group):
        return ()


sim = rp.Simulation(Counting)
"""
ARGUMENTS: dict[str, Any] = {"infos": "hashes", "horizon": 12, "num_requests": 5}


@pytest.fixture
def scenario(tmp_path: Path) -> Any:
    """Write the scenario with a kind of program."""

    def write(kind: str = "counts", program: Path = PROGRAM, python: str = sys.executable) -> str:
        file = tmp_path / f"counting_{kind}.py"
        file.write_text(SCENARIO.format(python=python, program=str(program), kind=kind))
        return str(file)

    return write


def companions(program: Path) -> list[int]:
    """Return the processes that run a program."""
    found = psutil.process_iter(["cmdline"])
    return [each.pid for each in found if str(program) in (each.info["cmdline"] or [])]


@pytest.fixture
def own_program(tmp_path: Path) -> Path:
    """Return a copy of the program that no other test runs."""
    return Path(shutil.copy(PROGRAM, tmp_path / "own_companion.py"))


def test_episodes_are_reproducible_however_they_are_started(scenario: Any) -> None:
    spec = lookup(scenario())
    found = []
    for launch in ("fork", "fork", "spawn"):
        with closing(spec.raw_env(link="local", launch=launch, **ARGUMENTS)) as env:
            found.append(hashes(env, draw(3), seed=7))
    assert found[0] == found[1] == found[2]
    assert len(set(found[0])) > 10


def test_a_branch_continues_like_the_episode_itself(scenario: Any) -> None:
    with closing(lookup(scenario()).raw_env(link="local", **ARGUMENTS)) as env:
        uninterrupted = hashes(env, draw(3), seed=7)
        env.reset(seed=7)
        choose, told = draw(3), []
        for step in range(len(uninterrupted)):
            *_, terminated, truncated, info = env.last()
            told.append((info["state_hash"], info["concrete_hash"]))
            if step == 4:
                branch = env.branch()
                branch.step(0)  # a step of a branch has no effect on the original
                branch.close()
                env.restore(env.snapshot())
            env.step(None if terminated or truncated else choose(info))
        assert told == uninterrupted


def test_the_program_ends_with_its_simulation(scenario: Any, own_program: Path) -> None:
    with closing(lookup(scenario(program=own_program)).raw_env(link="local", **ARGUMENTS)) as env:
        env.reset(seed=1)
        env.step(0)
        (process,) = companions(own_program)
        env.reset(seed=2)
        psutil.wait_procs([psutil.Process(process)] if psutil.pid_exists(process) else [], 20)
        assert process not in companions(own_program)
        env.step(0)
        remaining = [psutil.Process(each) for each in companions(own_program)]
    _, alive = psutil.wait_procs(remaining, timeout=20)
    assert not alive


@pytest.mark.parametrize(
    ("kind", "said"),
    [("dies", "ended with status 3"), ("text", "which is not a line of JSON")],
)
def test_a_program_without_answers_is_refused_before_anything_starts(
    kind: str, said: str, scenario: Any
) -> None:
    with pytest.raises(ScenarioError, match=said):
        lookup(scenario(kind)).raw_env(link="local", **ARGUMENTS)


def test_a_killed_program_ends_the_episode(scenario: Any, own_program: Path) -> None:
    with closing(lookup(scenario(program=own_program)).raw_env(link="local", **ARGUMENTS)) as env:
        env.reset(seed=1)
        env.step(0)
        for process in companions(own_program):
            psutil.Process(process).kill()
        with pytest.raises(ScenarioError, match="ended with status -9"):
            env.step(0)


def test_a_copy_notices_a_program_that_depends_on_time(scenario: Any) -> None:
    with closing(lookup(scenario("time")).raw_env(link="local", **ARGUMENTS)) as env:
        env.reset(seed=1)
        env.step(0)
        branch = env.branch()
        with pytest.raises(ScenarioError, match="must not depend on time, chance or threads"):
            branch.step(0)
        branch.close()


def test_a_missing_program_is_refused_before_anything_starts(scenario: Any) -> None:
    with pytest.raises((ParameterError, ScenarioError), match="there is no program '/not/there"):
        lookup(scenario(python="/not/there")).raw_env(link="local", **ARGUMENTS)
