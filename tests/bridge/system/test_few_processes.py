# SPDX-License-Identifier: GPL-2.0-only
"""Too few processes, or too little memory, for libzmq's threads and for simulations."""

from __future__ import annotations

import json

import pytest
from limited_programs import run_limited

from defiance_zoo.bridge.system.resources import require_threads

ATTEMPTS = """
import json, os, resource, sys
from pathlib import Path

import psutil
from conftest import TRIAL, over, resources, simulations
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.errors import DefianceZooError

spec = EnvironmentSpec("trial_v0", TRIAL)
unlimited = resource.getrlimit(resource.RLIMIT_NPROC)


def allow(count):
    tasks = 0
    for task in Path("/proc").glob("[0-9]*/task/*"):
        try:
            tasks += task.stat().st_uid == os.getuid()
        except OSError:
            pass
    for process in (psutil.Process(), *simulations()):  # each has a limit of its own
        process.rlimit(psutil.RLIMIT_NPROC, (tasks + count if count else 1, unlimited[1]))


def play(kind, link, launch, count):
    if kind == "snapshot":
        resource.setrlimit(resource.RLIMIT_NPROC, unlimited)
        with_room = spec.parallel_env(duration="1h", launch=launch, **over(link))
        try:
            with_room.reset(seed=1)
            allow(count)
            try:
                with_room.snapshot().release()
            finally:
                with_room.step({agent: 3 for agent in with_room.agents})
        finally:
            with_room.close()
        return
    allow(count)
    if kind == "vector":
        env = spec.vector_env(2, launch=launch, **over(link))
    else:
        env = spec.parallel_env(launch=launch, **over(link))
    try:
        env.reset(seed=1)
    finally:
        env.close()


for kind, link, launch in (each.split() for each in sys.argv[1:]):
    before = None
    for count in range(12):
        try:
            play(kind, link, launch, count)
            print(json.dumps(["played", ""]))
            break
        except DefianceZooError as error:
            print(json.dumps([type(error).__name__, str(error)]))
        before = before or resources()
        assert resources() == before
"""

CASES = [
    f"{kind} {link} {launch}"
    for kind in ("environment", "vector", "snapshot")
    for link in ("zmq", "local", "spin")
    for launch in ("fork", "spawn")
]


def check(*cases: str) -> None:
    """Run each case with ever more processes until their number suffices."""
    attempts = [json.loads(line) for line in run_limited(ATTEMPTS, *cases).splitlines()]
    for case in cases:
        refused = "SnapshotRefused" if "snapshot" in case else "TooFewProcesses"
        name, message = attempts.pop(0)
        assert name == refused, message
        while name != "played":
            assert name == refused, message
            assert "ulimit -u" in message
            name, message = attempts.pop(0)
    assert not attempts


def test_too_few_processes_raise_an_error_that_names_the_limit() -> None:
    check(
        "environment zmq fork", "environment local spawn", "vector zmq fork", "snapshot spin fork"
    )


@pytest.mark.long
def test_too_few_processes_raise_an_error_over_each_link() -> None:
    check(*CASES)


MEMORY = """
import resource, sys

from conftest import TRIAL, over
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.errors import DefianceZooError

env = EnvironmentSpec("trial_v0", TRIAL).parallel_env(link=sys.argv[1])
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
unlimited = resource.getrlimit(resource.RLIMIT_AS)
for spare in range(0, 96 << 20, 4 << 20):
    resource.setrlimit(resource.RLIMIT_AS, (used + spare, unlimited[1]))
    try:
        env.reset(seed=1)
        print("played")
        break
    except MemoryError:
        continue
    except DefianceZooError as error:
        print(type(error).__name__, error)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, unlimited)
env.close()
"""


def test_too_little_address_space_for_threads_raises_with_its_name() -> None:
    *failures, last = run_limited(MEMORY, "zmq").splitlines()
    assert last == "played"
    assert any(line.startswith("TooLittleMemory") and "ulimit -v" in line for line in failures)


def test_allowed_threads_leave_nothing_behind() -> None:
    for _ in range(50):
        require_threads(3)
