# SPDX-License-Identifier: GPL-2.0-only
"""Machines of replicas: clocks that drift and jump, and slow disks."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from partition_support import branches, draw, follow, hashes, keep

from defiance_zoo.environments import lookup
from defiance_zoo.envs.partition.actions import Actions
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

LEASES = str(ROOT / "tests" / "scenario" / "programs" / "leases.py")
ALONE: dict[str, Any] = {
    "tick_interval": "50ms", "ticks_between_partition": 20, "horizon": 60, "with_crashes": False,
}  # fmt: skip
FAULTS = {"clock_drift": 0.2, "clock_jump": "2s", "disk_delay": "4s"}

TICKS = """
import defiance_zoo.scenario.replicas as rp


class Counter(rp.Replica):
    def __init__(self):
        self.ticks = self.at = 0

    def recover(self, disk):
        pass

    def tick(self, now):
        self.ticks, self.at = self.ticks + 1, round(now * 1000)

    def submit(self, request):
        return False

    def message(self, sender, data):
        pass

    def state(self):
        return rp.State([self.ticks, self.at])


class Ticks(rp.Protocol):
    fields = [rp.number("ticks"), rp.number("at")]
    replica = Counter

    def takers(self, states):
        return []

    def check(self, group):
        return ()


rp.Simulation(Ticks)
"""

JOURNAL = '''
"""Replica 1 sends a message, syncs a file and sends another message."""

import os
import time

import defiance_zoo.scenario.replicas as rp

rp.patched("colorsys")


class Writer(rp.Replica):
    def __init__(self):
        self.ticks = self.done = 0
        self.got = []

    def recover(self, disk):
        self.done = 2 * os.path.exists("/disk/b")

    def tick(self, now):
        self.ticks += 1
        if self.id == 1 and self.ticks == 3 and not self.done:
            self.send(2, b"before")
            began = time.monotonic()
            with open("/disk/a", "w") as file:
                os.fsync(file.fileno())
            assert time.monotonic() - began < 1
            open("/disk/b", "w").close()
            self.send(2, b"after")
            self.done = 1

    def submit(self, request):
        return False

    def message(self, sender, data):
        self.got.append(round(time.monotonic() * 1000))

    def state(self):
        return rp.State([self.done, self.ticks, *(self.got + [0, 0])[:2]])


class Journal(rp.Protocol):
    fields = [rp.number("done"), rp.number("ticks"), rp.number("first"), rp.number("second")]
    replica = Writer

    def takers(self, states):
        return []

    def check(self, group):
        return ()


rp.Simulation(Journal)
'''


def states(file: Path, choose: Any = keep, **arguments: Any) -> list[list[dict[str, Any]]]:
    """Return the states of the replicas after each step of an episode."""
    with closing(lookup(str(file)).raw_env(link="local", **arguments)) as env:
        return [json.loads(info["replicas"]) for info, _ in follow(env, choose)]


@pytest.mark.long
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("bug", "fault", "steps"),
    [("margin", "clock_drift", 328), ("wall", "clock_jump", 640), ("check", "disk_delay", 34)],
)
def test_a_fault_of_machines_finds_a_bug_that_needs_it(bug: str, fault: str, steps: int) -> None:
    """The steps stand in docs/protocols/library.md."""
    found = []
    for faults in ({fault: FAULTS[fault]}, {}):
        with closing(GymnasiumEnv(lookup(LEASES), link="local", bug=bug, **ALONE, **faults)) as env:
            visits = enumerate(make_explorer("random", 1, {}).explore(env, steps=1000, seed=1), 1)
            found.append(next((n for n, visit in visits if visit.info["violations"]), None))
    assert found == [steps, None]


def test_programs_that_tolerate_such_machines_violate_nothing() -> None:
    crashes = {**ALONE, "with_crashes": True, "max_inactive": 1, "crash_limit": 1000}
    with closing(GymnasiumEnv(lookup(LEASES), link="local", **crashes, **FAULTS)) as env:
        visits = make_explorer("random", 1, {}).explore(env, steps=200, seed=1)
        assert not any(visit.info["violations"] for visit in visits)


def test_ticks_follow_the_clock_of_each_replica(tmp_path: Path) -> None:
    file = tmp_path / "ticks.py"
    file.write_text(TICKS)
    even = states(file, horizon=40)
    drifting = states(file, horizon=40, clock_drift=0.4)
    assert len({each["ticks"] for each in even[-1]}) == 1
    (whole,) = {each["ticks"] for each in even[-1]}
    rates = [each["ticks"] / whole for each in drifting[-1]]
    assert len(set(rates)) == 3
    assert all(0.6 <= rate <= 1.4 for rate in rates)
    for each in drifting[-1]:
        assert each["at"] / even[-1][0]["at"] == pytest.approx(each["ticks"] / whole, abs=0.02)


def test_a_process_acts_and_changes_when_its_slow_disk_has_finished(tmp_path: Path) -> None:
    file = tmp_path / "journal.py"
    file.write_text(JOURNAL)
    steps = {"tick_interval": "20ms", "ticks_between_partition": 1, "horizon": 100}
    fast = states(file, **steps)[-1]
    assert fast[1]["second"] - fast[1]["first"] < 20
    told = states(file, **steps, disk_delay="1s")
    gap = told[-1][1]["second"] - told[-1][1]["first"]
    assert 20 < gap < 1000
    waited = [each for each in told if each[1]["first"] and not each[0]["done"]]
    assert len(waited) == pytest.approx(gap / 20, abs=1)
    assert {each[0]["ticks"] for each in waited} == {2}
    assert all(each[1]["second"] == 0 for each in waited)


def test_a_crash_before_a_slow_disk_has_finished_undoes_later_writes(tmp_path: Path) -> None:
    file = tmp_path / "journal.py"
    file.write_text(JOURNAL)
    steps = {"tick_interval": "20ms", "ticks_between_partition": 1, "horizon": 100}

    def crash(info: dict[str, Any]) -> int:
        """Stop replica 1 after its first message, and start it again."""
        replicas, slots = json.loads(info["replicas"]), [int(each) for each in info["slots"]]
        is_due = replicas[1]["first"] and not replicas[0]["done"]
        kind = "stop" if replicas[0]["active"] and is_due else "start"
        for number, action in enumerate(Actions(len(slots))):
            if action.kind == kind and slots[action.slot] == 1 and info["action_mask"][number]:
                return number
        return 0

    parameters = {**steps, "max_inactive": 1, "painter": "id", "crash_limit": 1}
    for delay in ("1s", "0s"):
        told = states(file, crash, **parameters, disk_delay=delay)
        assert all(each[0]["active"] for each in told) == (delay == "0s")
        assert {each[0]["done"] for each in told} == {0, 1}  # it never finds its second file


def test_faults_of_machines_repeat_in_forked_and_spawned_simulations_and_branches() -> None:
    crashes = {**ALONE, "with_crashes": True, "max_inactive": 1, "crash_limit": 1000}
    told = []
    for launch in ("fork", "spawn"):
        with closing(
            lookup(LEASES).raw_env(link="local", launch=launch, **crashes, **FAULTS)
        ) as env:
            told.append(hashes(env, draw(2)))
            one, other = branches(env)
            assert one == other
    assert told[0] == told[1]


def test_protocols_without_patched_code_have_clocks_but_no_disks(tmp_path: Path) -> None:
    file = tmp_path / "ticks.py"
    file.write_text(TICKS)
    for env, name in ((str(file), "disk_delay"), (str(file), "clock_jump"),
                      ("partition_v0", "clock_drift")):  # fmt: skip
        with pytest.raises(ParameterError, match=name):
            lookup(env).raw_env(link="local", **{name: 0}).reset()
    with pytest.raises(ParameterError, match="clock_drift"):
        lookup(str(file)).raw_env(link="local", clock_drift=0.6).reset()
