# SPDX-License-Identifier: GPL-2.0-only
"""partition_v0: a stopped replica is killed at any point of its tick."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command_calls import call_for_json
from conftest import ROOT
from partition_support import draw, follow, hashes

from defiance_zoo.environments import lookup
from defiance_zoo.envs import partition_v0
from defiance_zoo.envs.partition.actions import Kind, find_actions
from defiance_zoo.protocols.rechecking import recheck_violation
from defiance_zoo.protocols.violations import shrink_violation
from defiance_zoo.recording import read_recording

CHAIN = str(ROOT / "tests" / "scenario" / "programs" / "chain.py")


def play(choose: Callable[[int], Any], seeds: range, **arguments: Any) -> dict[int, str]:
    """Play an episode for each seed, and return the violations."""
    found = {}
    with closing(lookup(CHAIN).raw_env(link="local", **arguments)) as env:
        for seed in seeds:
            told = [info["violations"] for info, _ in follow(env, choose(seed), seed)]
            found[seed] = "\n".join(filter(None, told))
    return found


def stop_the_last(_seed: int) -> Callable[[dict[str, Any]], int]:
    """Return a policy that stops the last replica in the tick in which a request reaches it."""
    kinds: Iterator[Kind] = iter(["request", "keep", "stop", "start", "keep"])

    def choose(info: dict[str, Any]) -> int:
        found = find_actions(info).find(next(kinds))
        last = int(max(info["slots"]))
        return found[list(info["slots"]).index(last)] if len(found) == last else found[0]

    return choose


SEQUENCE: dict[str, Any] = {"ticks_between_partition": 1, "horizon": 5, "painter": "id"}


@pytest.mark.parametrize(
    ("bug", "seeds", "words"),
    [
        ("early", range(1, 6), "durability: 1 entries are acknowledged, 0 stored"),
        ("torn", range(31, 39), "replica_crash: replica 3: IndexError"),
    ],
)
def test_a_stop_comes_between_two_effects(bug: str, seeds: range, words: str) -> None:
    """After a message and before the tick, or between two writes; not with the correct chain."""
    found = play(stop_the_last, seeds, bug=bug, **SEQUENCE)
    assert any(each.startswith(words) for each in found.values())
    assert not any(play(stop_the_last, seeds, **SEQUENCE).values())
    at_start = play(stop_the_last, seeds, bug=bug, crash_point="start", **SEQUENCE)
    assert not any(at_start.values())


def test_random_tests_find_an_early_acknowledgement() -> None:
    """Within 20 episodes of 50 steps of a tick."""
    few = {"ticks_between_partition": 1, "horizon": 50, "num_requests": 50, "crash_limit": 50}
    assert any(play(draw, range(20), bug="early", **few).values())


def test_crashes_are_repeated_by_seed_and_in_new_processes() -> None:
    arguments: dict[str, Any] = {"link": "local", "max_inactive": 3, "crash_limit": 20}
    told = []
    for launch in ("fork", "fork", "spawn"):
        with closing(lookup(CHAIN).raw_env(launch=launch, **arguments)) as env:
            told.append([hashes(env, draw(seed), seed) for seed in (1, 2)])
    assert told[0] == told[1] == told[2]


def test_a_restored_episode_crashes_at_the_same_point() -> None:
    with closing(lookup(CHAIN).raw_env(link="local", bug="early", **SEQUENCE)) as env:
        env.reset(seed=1)
        choose = stop_the_last(1)
        for _ in range(2):
            env.step(choose(env.last()[4]))
        with env.snapshot() as before:
            ends = []
            for _ in range(2):
                env.restore(before)
                env.step(find_actions(env.last()[4]).find("stop")[-1])
                ends.append(env.last()[4]["concrete_hash"])
    assert ends[0] == ends[1]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a recorded episode in which the early acknowledgement violates durability."""
    folder = tmp_path_factory.mktemp("chain")
    with closing(lookup(CHAIN).raw_env(record=folder, bug="early", **SEQUENCE)) as env:
        for _ in follow(env, stop_the_last(1), 1):
            pass
    (path,) = folder.iterdir()
    return path


def test_a_violation_is_replayed_shrunk_and_rechecked(recorded: Path) -> None:
    assert call_for_json("replay", recorded, "--env", CHAIN)
    recording, spec = read_recording(recorded), lookup(CHAIN)
    assert 3 <= len(shrink_violation(recording, spec=spec).decisions) <= 4
    assert recheck_violation(recording, spec).violation.startswith("durability: ")
    assert recheck_violation(recording, spec, {"bug": ""}).violation == ""


def test_recordings_without_a_crash_point_are_played_as_before(tmp_path: Path) -> None:
    """Recordings from before the parameter `crash_point` lack it: stops begin a tick."""
    env = partition_v0.raw_env(record=tmp_path, crash_point="start", painter="id", crash_limit=9)
    with closing(env):
        for info, _ in follow(env, draw(4), 4):
            last = info
    assert last["remaining_crashes"] < 9
    (path,) = tmp_path.iterdir()
    recording = read_recording(path)
    before = tmp_path / "before.json"
    plain = json.loads(recording.to_json())
    del plain["parameters"]["crash_point"]
    before.write_text(json.dumps(plain))
    (played,) = call_for_json("replay", before)
    assert played["steps"] == len(recording.decisions)
