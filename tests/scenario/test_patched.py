# SPDX-License-Identifier: GPL-2.0-only
"""The tested code in its virtual world: clocks, random numbers, files, and forbidden calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from partition_support import draw, follow, hashes, keep

from defiance_zoo.environments import lookup
from defiance_zoo.envs.partition.states import read_replicas
from defiance_zoo.errors import ScenarioError

LIBRARY = """import mmap
import os
import random
import secrets
import shutil
import socket
import threading
import time
import uuid
from random import randrange
from time import monotonic, sleep


def look():
    return [time.time(), monotonic(), time.time_ns(), time.perf_counter()]


def chance():
    own = random.Random()
    return [random.random(), randrange(10**9), own.random(), os.urandom(4).hex(),
            secrets.token_hex(4), str(uuid.uuid4()), str(uuid.uuid1())]


def start_thread():
    threading.Thread(target=print).start()


def open_socket():
    socket.socket()


def write_elsewhere():
    open("/tmp/elsewhere", "w")


def write_by_number():
    os.open("/tmp/elsewhere", os.O_WRONLY | os.O_CREAT)


class Journal:
    def __init__(self, path):
        if not os.path.exists(path):
            with open(path, "wb") as file:
                file.write(b"0000")
        self.file = open(path, "r+b")
        self.map = mmap.mmap(self.file.fileno(), 0)
        self.text = open(path + ".txt", "a+")

    def add(self):
        count = int(self.map[:4]) + 1
        self.map[:4] = b"%04d" % count
        self.text.write("never flushed")

    def store(self, text):
        with open("/disk/new", "w") as file:
            file.write(text)
        shutil.move("/disk/new", "/disk/stored")
"""

PROTOCOL = """import json

import defiance_zoo.scenario.replicas as rp

library = rp.patched("library_under_test", path="libs")


class Clerk(rp.Replica):
    def __init__(self):
        self.journal, self.seen, self.stored = None, [], 0

    def recover(self, disk):
        self.journal = library.Journal("/disk/journal")

    def tick(self, now):
        self.seen = [now, *library.look(), *library.chance()]
        STEP
        self.journal.add()
        self.journal.store(str(now))

    def submit(self, request):
        return True

    def message(self, sender, data):
        pass

    def state(self):
        files = self.disk.files.contents
        stored = int(bytes(files.get("/disk/journal", b"0000")))
        return rp.State([stored, len(files.get("/disk/journal.txt", b""))], [], self.seen)


class Clerks(rp.Protocol):
    fields = [rp.number("stored"), rp.number("text")]
    replica = Clerk

    def takers(self, states):
        return []

    def check(self, group):
        return []

    def describe(self, data):
        return data.decode()


sim = rp.Simulation(Clerks)
"""


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """Return a function that writes protocol and library, and makes the environment."""

    def write_with(step: str = "pass", **arguments: Any) -> Any:
        (tmp_path / "libs").mkdir(exist_ok=True)
        (tmp_path / "libs" / "library_under_test.py").write_text(LIBRARY)
        path = tmp_path / "clerks.py"
        path.write_text(PROTOCOL.replace("STEP", step))
        return lookup(str(path)).raw_env(link="local", **arguments)

    return write_with


SHOW = "self.send(self.id % self.size + 1, json.dumps(self.seen).encode())"


def read_messages(env: Any, seed: int = 1) -> list[list[Any]]:
    """Return the contents of the replicas' messages in an episode, and close the environment."""
    told = []
    for info, _ in follow(env, keep, seed):
        events = json.loads(info["message_events"])
        told += [json.loads(each["text"]) for each in events if each["event"] == "sent"]
    env.close()
    return told


def test_clocks_show_virtual_time(write: Any) -> None:
    told = read_messages(write("self.seen = self.seen[:5]; " + SHOW, message_events=True))
    assert len(told) > 60
    for now, time, monotonic, nanoseconds, counter in told:
        assert time == pytest.approx(1_700_000_000 + now, abs=1e-6)
        assert monotonic == counter == pytest.approx(1000 + now)
        assert nanoseconds == pytest.approx(time * 1e9)


def test_sleep_advances_the_clock_of_the_replica(write: Any) -> None:
    step = f"library.sleep(5 if self.id == 1 and now < 0.02 else 0); {SHOW}"
    env = write(step, message_events=True, horizon=4)
    told = [words[:3] for words in read_messages(env)]
    ahead = [time - now - 1_700_000_000 for now, time, _ in told]
    assert sorted(round(each) for each in ahead) == [0] * 25 + [5] * 11


def test_random_numbers_follow_the_seed(write: Any) -> None:
    drawn = []
    for seed in (1, 1, 2):
        step = f"self.seen = self.seen[5:]; {SHOW}"
        drawn.append(read_messages(write(step, message_events=True, horizon=2), seed))
    assert drawn[0] == drawn[1]
    assert not {json.dumps(each) for each in drawn[0]} & {json.dumps(each) for each in drawn[2]}
    assert len({each for words in drawn[0] for each in words}) == sum(map(len, drawn[0]))


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ("now and library.start_thread()", "cannot start a thread"),
        ("now and library.open_socket()", "the code of replica 1 opens a socket"),
        ("now and library.write_elsewhere()", "replica 1 writes /tmp/elsewhere: .* below /disk"),
        ("now and library.write_by_number()", "replica 1 opens /tmp/elsewhere to write it"),
    ],
)
def test_calls_impossible_in_a_simulation_end_the_episode(
    step: str, words: str, write: Any
) -> None:
    env = write(step)
    with pytest.raises(ScenarioError, match=words) as raised:
        list(follow(env, keep))
    assert 'clerks.py", line ' in str(raised.value)
    env.close()


def test_a_crash_loses_unflushed_data_and_keeps_the_memory_map(write: Any) -> None:
    env = write(painter="id")
    infos = [info for info, _ in follow(env, draw(3))]
    env.close()
    states = [state for info in infos for state in read_replicas(info)]
    assert {state.active for state in states} == {True, False}
    assert all(state.text == 0 for state in states)
    assert max(state.stored for state in states if not state.active) > 0


def test_branches_have_separate_disks(write: Any) -> None:
    """PySyncObj's journal is a shared memory map, with which copies corrupted each other's."""
    env = write(horizon=12)
    env.reset(seed=1)
    for _ in range(4):
        env.step(0)
    snapshot = env.snapshot()
    told = []
    for _ in range(3):
        env.restore(snapshot)
        told.append([])
        while env.agents:
            info = env.last()[4]
            told[-1].append((info["concrete_hash"], [s.stored for s in read_replicas(info)]))
            env.step(None if env.terminations[env.agent_selection] or
                     env.truncations[env.agent_selection] else 0)  # fmt: skip
    env.close()
    assert told[0] == told[1] == told[2]
    assert told[0][0][1] == [12] * 3


def test_hashes_are_equal_in_other_folders_and_processes(
    write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = hashes(write(), draw(1))
    monkeypatch.setenv("PYTHONHASHSEED", "5")
    other = tmp_path / "other"
    other.mkdir()
    for each in ("libs", "clerks.py"):
        (tmp_path / each).rename(other / each)
    for launch in ("fork", "spawn"):
        env = lookup(str(other / "clerks.py")).raw_env(link="local", launch=launch)
        assert hashes(env, draw(1)) == expected
        env.close()
