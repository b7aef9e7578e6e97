# SPDX-License-Identifier: GPL-2.0-only
"""Raft with changes of members, in Python, and its bug that few schedules show."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from conftest import ROOT
from partition_support import follow, partition, request

from defiance_zoo.environments import lookup
from defiance_zoo.envs.partition.states import read_replicas
from defiance_zoo.protocols.explorers import Random
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

MEMBERSHIP = str(ROOT / "examples" / "protocols" / "raft_membership.py")
LEADER = 2
SHORT: dict[str, Any] = {
    "election_ticks": 4,
    "heartbeat_ticks": 2,
    "num_replicas": 4,
    "horizon": 60,
    "num_requests": 20,
}


def leader(info: dict[str, Any]) -> int:
    """Return the leader of the highest term; 0 if there is none."""
    leaders = [state for state in read_replicas(info) if state.active and state.state == LEADER]
    return max(leaders, key=lambda state: state.term).id if leaders else 0


def split(info: dict[str, Any]) -> Iterator[Any]:
    """Yield the actions that lead to two majorities, from the info before each.

    Replica 1 is removed by the old leader alone, and replica 2 by the new leader and replica 1 or
    the fourth replica.
    """
    requests = len(info["action_mask"]) - 1
    while not leader(info):
        info = yield 0
    old = leader(info)
    info = yield requests  # an ordinary request
    info = yield 0
    info = yield partition(info, {old}, {1, 2, 3, 4} - {old})
    info = yield requests  # removes replica 1
    while leader(info) == old:
        info = yield 0
    new = leader(info)
    partner = next(iter({1, 3, 4} - {old, new}))
    info = yield partition(info, {new, partner}, {1, 2, 3, 4} - {new, partner})
    for _ in range(2):  # an ordinary request, and the removal of replica 2
        info = yield requests
    while leader(info) == new:
        info = yield 0
    while True:
        info = yield requests if info["action_mask"][requests] else 0


def play(bug: str, seed: int) -> str:
    """Return the violations of the directed schedule; empty if it cannot be played."""
    env = lookup(MEMBERSHIP).raw_env(link="local", painter="id", bug=bug, **SHORT)
    schedule: list[Any] = []

    def choose(info: dict[str, Any]) -> int:
        if not schedule:
            schedule.append(split(info))
            return int(next(schedule[0]))
        action = int(schedule[0].send(info))
        return action if info["action_mask"][action] else 0

    with closing(env):
        return "\n".join(
            filter(None, (str(info["violations"]) for info, _ in follow(env, choose, seed)))
        )


@pytest.mark.parametrize("bug", ["unready", ""])
def test_a_leader_that_is_not_ready_splits_the_members(bug: str) -> None:
    found = "".join(play(bug, seed) for seed in range(1, 20))
    assert ("state_machine_safety" in found) == (bug == "unready")
    assert bug or not found


def test_members_are_removed_and_added_without_faults() -> None:
    env = lookup(MEMBERSHIP).raw_env(link="local", **SHORT)
    with closing(env):
        infos = [info for info, _ in follow(env, request)]
    states = read_replicas(infos[-1])
    assert not any(info["violations"] for info in infos)
    assert {entry.request for entry in states[0].log} >= {2, 4, 6, 8}
    assert len({state.commit for state in states}) <= 2


@pytest.mark.long
def test_the_corrected_protocol_has_no_violation() -> None:
    env = GymnasiumEnv(lookup(MEMBERSHIP), link="local", **SHORT)
    with closing(env):
        visits = Random(1).explore(env, steps=5000, seed=1)
        assert not any(visit.info["violations"] for visit in visits)
