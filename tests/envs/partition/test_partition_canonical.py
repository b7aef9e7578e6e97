# SPDX-License-Identifier: GPL-2.0-only
"""`protocol=canonical_raft` runs the code of canonical/raft, and reproduces its bugs."""

from __future__ import annotations

from contextlib import closing
from typing import Any, ClassVar

import pytest
from conformance import SingleAgentConformance
from partition_support import CHECKERS_WARN, draw, follow, hashes, request

from defiance_zoo.environments import lookup
from defiance_zoo.envs.partition.states import RaftState, Role, read_replicas
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

SPEC = lookup("partition_v0")
CANONICAL = {"protocol": "canonical_raft", "link": "local"}
SHORT = {"election_timeout": "40ms", "heartbeat_timeout": "20ms", "horizon": 50}
"""Several elections fit into an episode."""

pytestmark = CHECKERS_WARN


@pytest.mark.parametrize("arguments", [{"protocol": "canonical_raft"}])
class TestCanonicalRaft(SingleAgentConformance):
    """The checkers of PettingZoo, Gymnasium and RLlib; snapshots; equal episodes in processes."""

    spec = SPEC
    short: ClassVar[dict[str, Any]] = {"horizon": 12, "illegal_actions": "keep"}


@pytest.mark.parametrize("pre_vote", [False, True])
def test_all_replicas_commit_all_requests_without_faults(pre_vote: bool) -> None:
    with closing(
        SPEC.raw_env(**CANONICAL, pre_vote=pre_vote, num_requests=9, message_events=True)
    ) as env:
        infos = [info for info, _ in follow(env, request)]
    states: tuple[RaftState, ...] = read_replicas(infos[-1], RaftState)
    assert [each.state for each in states].count(Role.LEADER) == 1
    for state in states:
        assert [entry.request for entry in state.log] == list(range(10))  # 0: the configuration
        assert state.commit == 10
    assert not any(info["violations"] for info in infos)
    assert any("PreVote" in info["message_events"] for info in infos) == pre_vote


def test_a_restarted_replica_has_its_term_vote_and_log() -> None:
    with closing(SPEC.raw_env(**CANONICAL, painter="id")) as env:
        stop = 1 + 5  # 5 ways to partition three replicas
        before = after = None
        stopped: list[int] = []

        def choose(info: dict[str, Any]) -> int:
            nonlocal before, after
            states = read_replicas(info, RaftState)
            committed = [each.id for each in states if each.commit > 1 and each.state != 2]
            if stopped and not states[stopped[0] - 1].active:
                after = states[stopped[0] - 1]
                return stop + 3 + list(info["slots"]).index(stopped[0])
            if len(set(info["partition"])) > 1:
                return 1  # all replicas into one block: a restarted one is alone
            if committed and not stopped:
                stopped.append(committed[0])
                before = states[committed[0] - 1]
                return stop + list(info["slots"]).index(committed[0])
            return request(info)

        for info, _ in follow(env, choose):
            last = info
    assert before is not None
    assert after is not None
    assert (after.term, after.vote, after.log) == (before.term, before.vote, before.log)
    assert after.commit == 0  # not on disk
    states = read_replicas(last, RaftState)
    assert len({each.commit for each in states}) == 1
    assert all(each.active for each in states)


def test_hashes_are_equal_however_a_process_is_started() -> None:
    played = []
    for launch in ("fork", "spawn"):
        with closing(SPEC.raw_env(**CANONICAL, **SHORT, launch=launch)) as env:
            played.append(hashes(env, draw(3)))
    assert played[0] == played[1]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_leader_commits_an_entry_that_only_one_replica_has(seed: int) -> None:
    """A follower acknowledges a heartbeat with its last index, even if that entry differs.

    If the leader has appended an entry meanwhile, it takes this as its acknowledgement.
    """
    with closing(GymnasiumEnv(SPEC, **CANONICAL, **SHORT)) as env:
        visits = make_explorer("random", seed, {}).explore(env, steps=3000, seed=seed * 10_000_000)
        found = next((v.info["violations"] for v in visits if v.info["violations"]), "")
    assert found.startswith("commit_durability: ")
    assert "only 1 of 3 replicas have it" in found


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pre_vote": True}, "'pre_vote': scenario 'partition' has no such parameter"),
        (
            {**CANONICAL, "heartbeat_timeout": "160ms"},
            "heartbeat_timeout=.* is not less than election_timeout=.*: no leader could remain",
        ),
        ({**CANONICAL, "tick_interval": "500us"}, "shorter than 1ms"),
        ({**CANONICAL, "election_ticks": 4}, "are parameters of protocol=raft; leave them out"),
        ({**CANONICAL, "bug": "R1"}, "bug=R1 is not a bug of protocol=canonical_raft"),
        ({**CANONICAL, "histories": True}, "histories=true: replicas of protocol=canonical_raft"),
    ],
)
def test_invalid_parameters_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message), closing(SPEC.raw_env(**arguments)) as env:
        env.reset(seed=1)
