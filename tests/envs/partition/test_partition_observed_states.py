# SPDX-License-Identifier: GPL-2.0-only
"""The observed part of replicas: colours and their hashes, predicates, and similar actions."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable

import numpy as np
import pytest

from defiance_zoo.envs.partition.actions import BYZANTINE, DELAYS, HEALING, Actions, find_actions
from defiance_zoo.envs.partition.painters import (
    COVERAGE,
    TENDERMINT_COVERAGE,
    Painter,
    Part,
    bounded,
    color,
    function,
    log,
)
from defiance_zoo.envs.partition.partition_v0 import BASELINES
from defiance_zoo.envs.partition.states import (
    Entry,
    RaftState,
    Replicas,
    ReplicaState,
    Role,
    Step,
    TendermintState,
    read_replicas,
)
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.predicates import (
    Predicate,
    pending_requests,
    satisfied,
)
from defiance_zoo.protocols.predicates.raft import (
    DIFFERENT_TERMS,
    NEWER_ENTRY_LEADS,
    OLDER_ENTRY_COMMITTED,
    OLDER_ENTRY_LEADS,
    ONE_CANDIDATE,
    ONE_LEADER,
    RAFT_HIERARCHIES,
    all_in_term,
    commit_in_term,
    leader_in_term,
    log_commit_gap,
    log_gap,
    min_commit,
    one_in_term,
    sync_to,
    term_difference,
)
from defiance_zoo.protocols.predicates.tendermint import (
    ALL_LOCKED,
    ANY_LOCKED,
    ANY_ROUND_AFTER_COMMIT,
    ANY_VALID,
    COMMIT_WITH_PRECOMMIT,
    DIFFERENT_LOCKED,
    QUORUM_COMMIT,
    SAME_LOCKED,
    STALE_VALID,
    STALE_VALID_PROPOSER,
    TENDERMINT_HIERARCHIES,
    all_rounds,
    any_commit,
    any_round,
    any_step,
)

LEADER = RaftState(
    id=2, active=True, state=Role.LEADER, term=7, vote=2, leader=2, commit=1, index=3,
    log=(Entry(3, 1), Entry(7, 0), Entry(7, 2)),
)  # fmt: skip
STOPPED = dataclasses.replace(LEADER, id=3, active=False, state=Role.FOLLOWER, term=6, commit=0)


def test_colours_are_canonical() -> None:
    """The text, and so the hash, is the same everywhere, for any order of parts."""
    seen = Painter.compose(log(2), color("state"), bounded("term", 6)).paint(LEADER)
    assert seen.text == '{"log":[3,7],"state":2,"term":6}'
    assert seen.hash == "7c99c9bbc89d967cba72dadc687c33f8dc580e7dd874390a7843f430b9a4e518"
    assert seen == Painter.compose(color("state"), bounded("term", 6), log(2)).paint(LEADER)
    assert seen.features == (0.75, 0.875, 1, 1)
    stopped = Painter.compose(color("term"), color("vote")).paint(STOPPED)
    assert stopped.text == '{"inactive":{"term":6,"vote":2}}'
    assert stopped.features == (6 / 7, 2 / 3)
    assert COVERAGE.description == "commit,index,leader,log:6,state,term:6,vote"
    assert COVERAGE.space.shape == (12,)
    assert np.array(COVERAGE.paint(LEADER).features, np.float32) in COVERAGE.space


def test_colours_differ_where_one_part_differs() -> None:
    hashes = {COVERAGE.paint(LEADER).hash}
    for field in ("state", "commit", "leader", "vote", "index"):
        hashes.add(COVERAGE.paint(dataclasses.replace(LEADER, **{field: 0})).hash)
    hashes.add(COVERAGE.paint(dataclasses.replace(LEADER, log=())).hash)
    hashes.add(COVERAGE.paint(dataclasses.replace(LEADER, active=False)).hash)
    assert len(hashes) == 8
    assert COVERAGE.paint(dataclasses.replace(LEADER, term=9, id=1)) == COVERAGE.paint(LEADER)


def test_functions_compute_colours_unknown_to_simulations() -> None:
    painter = Painter.compose(
        color("state"), function("uncommitted", lambda s: min(s.index - s.commit, 4), 4)
    )
    assert painter.paint(LEADER).text == '{"state":2,"uncommitted":2}'
    assert painter.paint(LEADER).features == (1, 0.5)
    with pytest.raises(ParameterError, match="'uncommitted' is a Python function"):
        _ = painter.description


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: color("colour"), "no field 'colour'"),
        (lambda: bounded("vote", 3), "a number that grows"),
        (lambda: bounded("term", 0), "from 1 to 1000"),
        (lambda: log(33), "from 1 to 32"),
        (lambda: Painter(color("term"), bounded("term", 3)), "different names"),
        (lambda: Painter(), "different names"),
        (lambda: function("log", len, 3), "is a field"),
    ],
)
def test_bad_painters_are_refused(make: Callable[[], Part], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


VALIDATOR = TendermintState(
    id=1, active=True, height=2, round=1, step=Step.PREVOTE, have_proposal=1, locked=3,
    locked_round=1, valid=3, valid_round=1, proposer=3, prevotes=3, precommits=1,
    log=(Entry(0, 1),),
)  # fmt: skip
BEHIND = dataclasses.replace(
    VALIDATOR, id=2, height=1, round=0, step=Step.PRECOMMIT, locked=2, log=()
)
RELOCKED = dataclasses.replace(VALIDATOR, locked=4, locked_round=2, valid=4, valid_round=2)
FREE = dataclasses.replace(VALIDATOR, id=3, round=0, step=Step.PROPOSE, locked=0)


def test_colours_of_tendermint_have_their_documented_parts() -> None:
    seen = TENDERMINT_COVERAGE.paint(VALIDATOR, 4)
    assert json.loads(seen.text) == {
        "have_proposal": 1, "height": 2, "precommits": 1, "prevotes": 3, "round": 1, "step": 2,
    }  # fmt: skip
    assert seen.features == (1, 2 / 3, 1 / 2, 3 / 4, 1 / 2, 2 / 3)
    lying = Painter(color("proposer", TendermintState), bounded("locked", 1, TendermintState))
    assert lying.description == "locked:1,proposer"
    byzantine = dataclasses.replace(VALIDATOR, byzantine=True)
    assert lying.paint(byzantine, 4).text == '{"byzantine":{"locked":1,"proposer":3}}'
    stopped = dataclasses.replace(byzantine, active=False)
    assert lying.paint(stopped).text == '{"inactive":{"byzantine":{"locked":1,"proposer":3}}}'
    with pytest.raises(ParameterError, match="a TendermintState has no field 'term'"):
        color("term", TendermintState)


def test_states_are_read_from_infos() -> None:
    told = {
        "active": True, "state": 2, "term": 7, "vote": 2, "leader": 2, "commit": 1, "index": 3,
        "log": [[3, 1], [7, 0], [7, 2]],
    }  # fmt: skip
    info = {"replicas": json.dumps([told, told]), "partition": [0, -1], "pending_requests": 4}
    replicas = read_replicas(info)
    assert replicas[1] == LEADER
    assert (replicas.blocks, replicas.pending_requests) == ((0, -1), 4)
    assert LEADER.committed == (Entry(3, 1),)
    assert dataclasses.replace(LEADER, commit=5, snapshot=3).committed == LEADER.log[:2]
    names = [predicate.name for predicate in RAFT_HIERARCHIES["LogCommitGap3"]]
    assert satisfied(info, RAFT_HIERARCHIES["LogCommitGap3"]) == names[:2]


@dataclasses.dataclass(frozen=True, kw_only=True)
class BackupState(ReplicaState):
    """The state of a user's own protocol."""

    view: int


def test_states_of_other_protocols_are_read_from_infos() -> None:
    validator = dataclasses.asdict(VALIDATOR)
    del validator["id"]
    info = {"partition": [0], "pending_requests": 0}
    assert read_replicas({**info, "replicas": json.dumps([validator])})[0] == VALIDATOR
    own = {"active": True, "byzantine": False, "view": 3, "log": []}
    told = {**info, "replicas": json.dumps([own])}
    assert read_replicas(told, BackupState) == (BackupState(id=1, active=True, view=3),)
    assert Painter(color("view", BackupState)).paint(read_replicas(told, BackupState)[0]).text == (
        '{"view":3}'
    )


FOLLOWER = dataclasses.replace(
    LEADER, id=1, state=Role.FOLLOWER, term=5, commit=2, index=2, log=LEADER.log[:2]
)
NEW_LEADER = dataclasses.replace(LEADER, term=8, log=(*LEADER.log[:1], Entry(8, 0), Entry(8, 1)))
REPLACED = dataclasses.replace(FOLLOWER, term=8, log=(Entry(3, 1), Entry(8, 1)))
CANDIDATE = dataclasses.replace(FOLLOWER, id=3, state=Role.CANDIDATE, term=8)


@pytest.mark.parametrize(
    ("predicate", "holds", "does_not"),
    [
        (one_in_term(7), (FOLLOWER, LEADER), (FOLLOWER, FOLLOWER)),
        (all_in_term(5), (FOLLOWER, LEADER), (FOLLOWER, dataclasses.replace(LEADER, term=4))),
        (term_difference(2), (FOLLOWER, LEADER), (FOLLOWER, FOLLOWER)),
        (min_commit(1), (FOLLOWER, LEADER), (FOLLOWER, STOPPED)),
        (leader_in_term(7), (FOLLOWER, LEADER), (CANDIDATE, STOPPED)),
        (commit_in_term(7), (FOLLOWER, LEADER), (LEADER, STOPPED)),
        (log_gap(1), (FOLLOWER, LEADER), (FOLLOWER, CANDIDATE)),
        (log_commit_gap(2), (FOLLOWER, LEADER), (FOLLOWER, CANDIDATE)),
        (ONE_LEADER & ONE_CANDIDATE, (LEADER, CANDIDATE), (LEADER, FOLLOWER)),
        (ONE_LEADER | ONE_CANDIDATE, (CANDIDATE, FOLLOWER), (FOLLOWER, STOPPED)),
        (~ONE_LEADER, (LEADER, LEADER), (LEADER, FOLLOWER)),
        (ONE_LEADER & ~ONE_CANDIDATE, (LEADER, FOLLOWER), (LEADER, CANDIDATE)),
        (sync_to(2), (LEADER, FOLLOWER), (LEADER, dataclasses.replace(FOLLOWER, index=1))),
        (
            DIFFERENT_TERMS,
            (LEADER, dataclasses.replace(LEADER, log=(Entry(4, 1),))),
            (LEADER, FOLLOWER),
        ),
        (OLDER_ENTRY_LEADS, (LEADER, REPLACED), (REPLACED, STOPPED)),
        (NEWER_ENTRY_LEADS, (NEW_LEADER, FOLLOWER), (LEADER, REPLACED)),
        (OLDER_ENTRY_COMMITTED, (FOLLOWER, REPLACED), (LEADER, REPLACED)),
        (pending_requests(2), Replicas((LEADER,), 2), Replicas((LEADER,), 1)),
        (any_round(1), (FREE, VALIDATOR), (FREE, BEHIND)),
        (all_rounds(1), (VALIDATOR, VALIDATOR), (FREE, VALIDATOR)),
        (any_commit(1), (BEHIND, FREE), (BEHIND, BEHIND)),
        (any_step(Step.PREVOTE), (VALIDATOR, FREE), (BEHIND, FREE)),
        (ANY_ROUND_AFTER_COMMIT, (VALIDATOR, FREE), (dataclasses.replace(BEHIND, round=1), FREE)),
        (ANY_LOCKED, (FREE, BEHIND), (FREE, FREE)),
        (ALL_LOCKED, (VALIDATOR, BEHIND), (VALIDATOR, FREE)),
        (DIFFERENT_LOCKED, (VALIDATOR, BEHIND), (VALIDATOR, VALIDATOR, FREE)),
        (SAME_LOCKED, (VALIDATOR, VALIDATOR, FREE), (VALIDATOR, BEHIND, FREE, FREE)),
        (QUORUM_COMMIT, (VALIDATOR, FREE, FREE, BEHIND), (VALIDATOR, FREE, BEHIND, BEHIND)),
        (ANY_VALID, (FREE,), (dataclasses.replace(FREE, valid=0),)),
        (STALE_VALID, (FREE, RELOCKED), (FREE, VALIDATOR)),
        (STALE_VALID, (BEHIND, dataclasses.replace(RELOCKED, height=1)), (BEHIND, RELOCKED)),
        (STALE_VALID_PROPOSER, (FREE, RELOCKED), (dataclasses.replace(FREE, id=4), RELOCKED)),
        (COMMIT_WITH_PRECOMMIT, (VALIDATOR, BEHIND), (VALIDATOR, FREE)),
    ],
)
def test_predicates_hold_in_the_states_they_describe(
    predicate: Predicate, holds: tuple[ReplicaState, ...], does_not: tuple[ReplicaState, ...]
) -> None:
    assert predicate(holds)
    assert not predicate(does_not)


def test_hierarchies_end_with_their_hardest_predicate() -> None:
    far = (dataclasses.replace(LEADER, term=9, commit=3), FOLLOWER, CANDIDATE)
    for name in ("OneInTerm4", "AllInTerm5", "TermDiff2", "MinCommit2", "LeaderInTerm4",
                 "OneLeaderOneCandidate", "AtLeastOneCommitInTerm2"):  # fmt: skip
        assert all(predicate(far) for predicate in RAFT_HIERARCHIES[name]), name
    start = dataclasses.replace(FOLLOWER, term=0, vote=0, leader=0, commit=0, index=0, log=())
    for hierarchy in RAFT_HIERARCHIES.values():
        assert not any(predicate(Replicas((start,) * 3)) for predicate in hierarchy)
    beginner = dataclasses.replace(
        BEHIND, step=Step.NEW_HEIGHT, have_proposal=0, locked=0, valid=0, prevotes=0, precommits=0
    )
    for hierarchy in TENDERMINT_HIERARCHIES.values():
        assert not any(predicate(Replicas((beginner,) * 4)) for predicate in hierarchy)
    assert len(RAFT_HIERARCHIES) == 18
    assert len(TENDERMINT_HIERARCHIES) == 16


def test_actions_are_numbered_as_documented() -> None:
    actions = Actions(3)
    assert [actions[index].kind for index in range(13)] == [
        "keep", *["create"] * 5, *["stop"] * 3, *["start"] * 3, "request",
    ]  # fmt: skip
    assert [actions[index].blocks for index in range(1, 6)] == [
        (0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2),
    ]  # fmt: skip
    assert [actions[index].slot for index in (6, 8, 9, 11)] == [0, 2, 0, 2]
    assert [len(Actions(count)) for count in (4, 5, 7)] == [25, 64, 893]
    assert len(Actions(10, max_blocks=2)) == 534
    liars = Actions(4, with_byzantine=True)
    assert [liars[index].kind for index in (24, 25, 28)] == ["request", "byzantine", "byzantine"]
    healed = Actions(4, with_byzantine=True, with_healing=True)
    assert [healed[index].kind for index in (28, 29)] == ["byzantine", "heal"]
    kinds = {
        role: [
            each.kind
            for each in map(
                Actions(2, role=role, with_byzantine=True, with_healing=True).__getitem__,
                range(count),
            )
        ]
        for role, count in (("client", 2), ("crasher", 7), ("partitioner", 4))
    }
    assert kinds == {
        "client": ["keep", "request"],
        "crasher": ["keep", "stop", "stop", "start", "start", "byzantine", "byzantine"],
        "partitioner": ["keep", "create", "create", "heal"],
    }


@pytest.mark.parametrize("delays", [False, True])
@pytest.mark.parametrize("healing", [False, True])
@pytest.mark.parametrize(
    ("replicas", "blocks", "byzantine"),
    [(3, 0, False), (3, 1, True), (3, 2, False), (4, 0, True), (7, 2, True), (10, 2, False)],
)
def test_actions_are_decoded_from_their_number_and_infos(
    replicas: int, blocks: int, byzantine: bool, healing: bool, delays: bool
) -> None:
    actions = Actions(
        replicas,
        blocks,
        with_byzantine=byzantine,
        with_delays=delays,
        with_healing=healing,
    )
    told = {DELAYS: 0} if delays else {}
    told |= {HEALING: 0} if healing else {}
    told |= {BYZANTINE: 0} if byzantine else {}
    info = {"partition": [0] * replicas, "action_mask": [1] * len(actions), **told}
    found = find_actions(info)
    assert [found[i] for i in range(len(found))] == [actions[i] for i in range(len(actions))]


@pytest.mark.parametrize("missing", ["partition", "action_mask"])
def test_infos_that_say_too_little_of_actions_are_refused(missing: str) -> None:
    info = {"partition": [0] * 3, "action_mask": [1] * 13}
    del info[missing]
    with pytest.raises(ParameterError, match=f"the info lacks {missing}, "):
        find_actions(info)


def test_actions_of_roles_are_decoded() -> None:
    info = {"partition": [0] * 3, "action_mask": [1] * 2, "role": "client"}
    assert find_actions(info).find("request") == [1]
    info |= {"action_mask": [1] * 7, "role": "crasher"}
    assert find_actions(info).find("request") == []
    with pytest.raises(ParameterError, match="a crasher of 3 replicas cannot have 6 actions"):
        find_actions(info | {"action_mask": [1] * 6})


def test_the_faultless_policy_hands_over_requests() -> None:
    policy = BASELINES["faultless"].make(None, 0, None)
    info = {"action_mask": np.array([1] * 12 + [0]), "partition": np.zeros(3)}
    assert policy.act("agent_0", None, info) == 0
    info["action_mask"][12] = 1
    assert policy.act("agent_0", None, info) == 12


def test_actions_with_equal_colours_have_equal_hashes() -> None:
    colors = [COVERAGE.paint(each) for each in (LEADER, FOLLOWER, FOLLOWER)]
    info = {"colors": json.dumps([json.loads(each.text) for each in colors])}
    actions = Actions(3)
    hashes = [actions.hash(index, info) for index in range(13)]
    assert hashes[2] == hashes[3]  # either follower is isolated
    assert hashes[7] == hashes[8]
    assert len(set(hashes)) == 10  # no further equal pairs, except starts of equal colours
