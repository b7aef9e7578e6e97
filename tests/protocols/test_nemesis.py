# SPDX-License-Identifier: GPL-2.0-only
"""Scripted faults in real protocols: the pairs of replicas that can communicate."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from benchmarks.zoo.bugs import BUGS
from defiance_zoo.envs import partition_v0
from defiance_zoo.envs.partition.states import Role, read_replicas
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers import FAULTS, Nemesis, Random, Situation
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

FIVE: dict[str, Any] = {
    "num_replicas": 5,
    "painter": "id,state,term",
    "election_ticks": 4,
    "heartbeat_ticks": 2,
}
"""Each replica has a different colour, so a fault hits its intended replica."""


def blocks(info: dict[str, Any]) -> set[frozenset[int]]:
    """Return the blocks of replicas that can communicate, as numbers."""
    told = [int(block) for block in info["partition"]]
    return {
        frozenset(number for number, mine in enumerate(told, 1) if mine == block)
        for block in set(told) - {-1}
    }


def blocks_of(replica: int, info: dict[str, Any]) -> frozenset[int]:
    """Return the block of a replica, and the replica's number."""
    return next(block for block in blocks(info) if replica in block)


def leader(info: dict[str, Any]) -> int:
    """Return the number of the leader of the highest term."""
    leaders = [state for state in read_replicas(info) if state.state == Role.LEADER]
    return int(max(leaders, key=lambda state: state.term).id)


def sizes(info: dict[str, Any]) -> list[int]:
    """Return the number of replicas in each block, the largest first."""
    return sorted(map(len, blocks(info)), reverse=True)


@pytest.fixture
def raft() -> Iterator[GymnasiumEnv]:
    """Raft of five replicas without requests, which would interrupt the faults."""
    env = GymnasiumEnv(partition_v0.SPEC, link="local", horizon=24, num_requests=0, **FIVE)
    with closing(env):
        yield env


def partitions(env: GymnasiumEnv, fault: str) -> list[dict[str, Any]]:
    """Return the infos of an episode after each step."""
    visits = Nemesis(1, fault=fault).explore(env, steps=24, seed=3)
    return [visit.info for visit in visits if visit.action is not None]


def test_faults_last_their_steps_and_are_healed(raft: GymnasiumEnv) -> None:
    infos = partitions(raft, "majority")
    assert [sizes(info) for info in infos] == ([[3, 2]] * 4 + [[5]] * 4) * 3
    for begin in (0, 8, 16):
        assert blocks(infos[begin]) == blocks(infos[begin + 3])


def test_a_bridge_belongs_to_each_half_in_turn(raft: GymnasiumEnv) -> None:
    told = [blocks(info) for info in partitions(raft, "bridge")[:4]]
    assert told[0] == told[2]
    assert told[1] == told[3]
    first, second = ({member: each for each in some for member in each} for some in told[:2])
    (bridge,) = (number for number in first if first[number] & second[number] == {number})
    halves = first[bridge] - {bridge}, second[bridge] - {bridge}
    assert halves[0] | halves[1] | {bridge} == {1, 2, 3, 4, 5}
    assert [len(half) for half in halves] == [2, 2]


def test_a_ring_moves_around_all_replicas(raft: GymnasiumEnv) -> None:
    infos = partitions(raft, "ring")[:4]
    assert [sizes(info) for info in infos] == [[3, 2]] * 4
    assert len({frozenset(blocks(info)) for info in infos}) == 4


def test_the_leader_is_isolated_as_long_as_it_leads(raft: GymnasiumEnv) -> None:
    infos = partitions(raft, "isolated_leader")
    alone = 0
    for number, (before, info) in enumerate(itertools.pairwise(infos), 1):
        leads = any(state.state == Role.LEADER for state in read_replicas(before))
        if number // 4 % 2 == 0 and leads:
            assert {leader(before)} in blocks(info)
            alone += 1
    assert alone


def test_flapping_alternates_between_a_fault_and_no_fault(raft: GymnasiumEnv) -> None:
    infos = partitions(raft, "flapping")
    assert [sizes(info) for info in infos[:8]] == [[4, 1], [5]] * 2 + [[5]] * 4


def test_a_crash_loop_stops_and_restarts_a_replica(raft: GymnasiumEnv) -> None:
    infos = partitions(raft, "crash_loop")
    running = [sum(state.active for state in read_replicas(info)) for info in infos]
    assert running[:8] == [4, 5, 4, 5, 5, 5, 5, 5]
    assert infos[-1]["remaining_crashes"] == 0


def test_answers_to_a_leader_are_held_until_a_later_term() -> None:
    arguments = {**FIVE, "drop_rule": "hold", "horizon": 40, "num_requests": 8}
    with closing(GymnasiumEnv(partition_v0.SPEC, link="local", **arguments)) as env:
        explorer = Nemesis(1, fault="late_answers", period=8)
        infos = [visit.info for visit in explorer.explore(env, steps=40, seed=3)]
    steps = [
        (before, info)
        for before, info in itertools.pairwise(infos)
        if info["pending_requests"] == before["pending_requests"]
    ]
    assert [sizes(info) for _, info in steps[16:24]] == [
        *[[3, 2]] * 2,  # the leader and a straggler
        *[[4, 1]] * 2,  # the straggler
        *[[3, 1, 1]] * 3,  # the straggler, and the leader of the others
        [3, 2],  # the straggler and the leader, with one more
    ]
    (straggler,) = next(block for block in blocks(steps[18][1]) if len(block) == 1)
    assert leader(steps[16][0]) in blocks_of(straggler, steps[16][1])
    assert frozenset({leader(steps[20][0])}) in blocks(steps[20][1])
    assert blocks_of(straggler, steps[23][1]) >= {straggler, leader(steps[23][0])}
    handed_over = [
        before["pending_requests"] - info["pending_requests"]
        for before, info in itertools.pairwise(info for info, _ in steps[16:25])
    ]
    assert handed_over == [3, 0, 0, 0, 0, 0, 1, 0]


def test_late_answers_need_a_duration_for_their_parts() -> None:
    with pytest.raises(
        ParameterError, match="period must be at least 5 with fault='late_answers', not 4"
    ):
        Nemesis(1, fault="late_answers")


def test_late_answers_make_a_leader_commit_an_entry_that_only_it_has() -> None:
    arguments = {**BUGS["R5"], "bug": "R5"}
    with closing(GymnasiumEnv(partition_v0.SPEC, link="local", **arguments)) as env:
        explorer = Nemesis(4, fault="late_answers", period=8)
        visits = explorer.explore(env, steps=10_000, seed=40_000_000)
        found = next(visit.info["violations"] for visit in visits if visit.info["violations"])
    assert found.startswith("commit_durability: ")


def test_requests_are_handed_over_between_faults_and_no_action_is_forbidden() -> None:
    arguments: dict[str, Any] = {
        "protocol": "tendermint",
        "num_replicas": 4,
        "horizon": 12,
        "num_requests": 3,
    }
    with closing(GymnasiumEnv(partition_v0.SPEC, link="local", **arguments)) as env:
        for fault in ("mixed", *FAULTS):
            options = {"fault": fault, "period": 5}
            visits = list(make_explorer("nemesis", 2, options).explore(env, steps=12))
            assert visits[-1].info["pending_requests"] == 0


def test_replicas_of_equal_colour_are_divided_as_far_as_possible() -> None:
    with closing(GymnasiumEnv(partition_v0.SPEC, link="local", horizon=4, painter="state")) as env:
        infos = [visit.info for visit in Nemesis(1, fault="flapping").explore(env, steps=4)]
        assert [2, 1] in [sizes(info) for info in infos]
        assert max(visit.step for visit in Random(1).explore(env, steps=4)) == 4


TELLS_NO_LEADER = {"coordinates": 1, "open": 0, "active": True, "byzantine": False, "log": []}


def test_without_known_leaders_none_is_isolated() -> None:
    info = {"replicas": json.dumps([TELLS_NO_LEADER] * 3)}
    situation = Situation("hash", (0,), ("0",), info)
    with pytest.raises(ParameterError, match=r"needs states that identify leaders, .*'leads' \(1"):
        Nemesis(1, fault="isolated_leader").begin(situation)
    told = {**TELLS_NO_LEADER, "leads": 1}
    with_leader = Situation("hash", (0,), ("0",), {"replicas": json.dumps([told] * 3)})
    Nemesis(1, fault="isolated_leader").begin(with_leader)


class Leaderless:
    """A Raft environment whose states lack terms, so that the leader is unknown."""

    def __init__(self, env: GymnasiumEnv) -> None:
        self._env = env

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        observation, info = self._env.reset(seed=seed)
        return observation, self._hide(info)

    def step(self, action: Any) -> Any:
        *told, info = self._env.step(action)
        return (*told, self._hide(info))

    @staticmethod
    def _hide(info: dict[str, Any]) -> dict[str, Any]:
        replicas = json.loads(info["replicas"])
        for each in replicas:
            del each["term"]
        return {**info, "replicas": json.dumps(replicas)}


def test_without_known_leaders_other_faults_are_mixed() -> None:
    """Each fault lasts a step and changes the partition."""
    arguments = {"horizon": 40, "num_requests": 0, "crash_limit": 40, **FIVE}
    with closing(GymnasiumEnv(partition_v0.SPEC, link="local", **arguments)) as env:
        explorer = Nemesis(4, period=1)
        infos = [visit.info for visit in explorer.explore(Leaderless(env), steps=40, seed=3)]
    assert len(infos) == 41
    assert [5] not in [sizes(info) for info in infos[1::2]]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"fault": "clock_skew"}, "fault='clock_skew' is not known"),
        ({"fault": 1}, "fault of nemesis must be text"),
        ({"period": 0}, "period must be at least 1"),
        ({"period": 1.5}, "period of nemesis must be an integer"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        make_explorer("nemesis", 1, options)
