# SPDX-License-Identifier: GPL-2.0-only
"""What is seen of replicas: colours and their hashes, predicates, and how actions look."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable

import numpy as np
import pytest

from defiance_zoo.envs.partition.actions import Actions
from defiance_zoo.envs.partition.painters import (
    COVERAGE,
    Painter,
    Part,
    bounded,
    color,
    function,
    log,
)
from defiance_zoo.envs.partition.predicates import (
    ONE_CANDIDATE,
    ONE_LEADER,
    RAFT_HIERARCHIES,
    Predicate,
    all_in_term,
    commit_in_term,
    leader_in_term,
    log_commit_gap,
    log_gap,
    min_commit,
    one_in_term,
    term_difference,
)
from defiance_zoo.envs.partition.states import Entry, RaftState, Role, read_replicas
from defiance_zoo.errors import ParameterError

LEADER = RaftState(
    id=2, active=True, state=Role.LEADER, term=7, vote=2, leader=2, commit=1, index=3,
    log=(Entry(3, 1), Entry(7, 0), Entry(7, 2)),
)  # fmt: skip
STOPPED = dataclasses.replace(LEADER, id=3, active=False, state=Role.FOLLOWER, term=6, commit=0)


def test_colours_are_canonical() -> None:
    """The text, and so the hash, is the same everywhere, whatever the order of parts."""
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


def test_functions_paint_what_simulations_do_not_know() -> None:
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
        (lambda: bounded("vote", 3), "no number that grows"),
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


def test_states_are_read_from_infos() -> None:
    told = {
        "active": True, "state": 2, "term": 7, "vote": 2, "leader": 2, "commit": 1, "index": 3,
        "log": [[3, 1], [7, 0], [7, 2]],
    }  # fmt: skip
    assert read_replicas({"replicas": json.dumps([told, told])})[1] == LEADER
    assert LEADER.committed == (Entry(3, 1),)


FOLLOWER = dataclasses.replace(
    LEADER, id=1, state=Role.FOLLOWER, term=5, commit=2, index=2, log=LEADER.log[:2]
)
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
    ],
)
def test_predicates(
    predicate: Predicate, holds: tuple[RaftState, ...], does_not: tuple[RaftState, ...]
) -> None:
    assert predicate(holds)
    assert not predicate(does_not)


def test_hierarchies_lead_from_what_is_easy_to_their_last_predicate() -> None:
    far = (dataclasses.replace(LEADER, term=9, commit=3), FOLLOWER, CANDIDATE)
    for name in ("OneInTerm4", "AllInTerm5", "TermDiff2", "MinCommit2", "LeaderInTerm4",
                 "OneLeaderOneCandidate", "AtLeastOneCommitInTerm2"):  # fmt: skip
        assert all(predicate(far) for predicate in RAFT_HIERARCHIES[name]), name
    start = dataclasses.replace(FOLLOWER, term=0, vote=0, leader=0, commit=0, index=0, log=())
    for hierarchy in RAFT_HIERARCHIES.values():
        assert not any(predicate((start,) * 3) for predicate in hierarchy)


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


def test_actions_look_alike_if_colours_do() -> None:
    colors = [COVERAGE.paint(each) for each in (LEADER, FOLLOWER, FOLLOWER)]
    info = {"colors": json.dumps([json.loads(each.text) for each in colors])}
    actions = Actions(3)
    hashes = [actions.hash(index, info) for index in range(13)]
    assert hashes[2] == hashes[3]  # either follower is alone
    assert hashes[7] == hashes[8]
    assert len(set(hashes)) == 10  # no two others, but starts of the same colours
