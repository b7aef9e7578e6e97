# SPDX-License-Identifier: GPL-2.0-only
"""Exploration from snapshots of running protocols."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from chain import Chain
from conftest import simulations

from defiance_zoo.envs import partition_v0
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers import BranchExplorer, Visit
from defiance_zoo.protocols.explorers.explorer import coverage_key
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv


@pytest.fixture
def raft() -> Iterator[GymnasiumEnv]:
    """Raft with early elections."""
    arguments = {"horizon": 15, "election_ticks": 4, "heartbeat_ticks": 2}
    with closing(GymnasiumEnv(partition_v0.SPEC, link="local", **arguments)) as env:
        yield env


def paths(visits: list[Visit]) -> Iterator[tuple[int, tuple[int, ...], dict[str, Any]]]:
    """Return the seed, the actions and the info of each reached state."""
    path: tuple[int, ...] = ()
    for visit in visits:
        path = visit.prefix if visit.action is None else (*path, visit.action)
        yield visit.seed, path, visit.info


def test_each_simulated_step_counts_and_no_restored_one(raft: GymnasiumEnv) -> None:
    explorer = BranchExplorer(1, snapshots=4)
    most = 0
    visits = []
    for visit in explorer.explore(raft, steps=150, seed=7):
        visits.append(visit)
        most = max(most, explorer.kept)
        if visit.step % 40 == 39:
            assert len(simulations()) <= 4 + 3  # kept, running, and their fork servers
    assert sum(visit.action is not None for visit in visits) == visits[-1].step == 150
    assert most == 4
    assert explorer.kept == 0
    begun = [visit for visit in visits if visit.action is None]
    assert [visit.episode for visit in begun] == list(range(len(begun)))
    assert sum(bool(visit.prefix) for visit in begun) > 3
    assert max(len(path) for _, path, _ in paths(visits)) <= 15


def test_a_state_reached_in_a_branch_is_reached_by_its_actions_from_the_start(
    raft: GymnasiumEnv,
) -> None:
    visits = list(BranchExplorer(2, length=4).explore(raft, steps=80, seed=7))
    reached = [each for each in paths(visits) if len(each[1]) > 5]
    assert len(reached) > 5
    for seed, path, info in reached[::6]:
        _, replayed = raft.reset(seed=seed)
        for action in path:
            *_, replayed = raft.step(action)
        assert replayed["concrete_hash"] == info["concrete_hash"]


def test_equal_seeds_explore_equally(raft: GymnasiumEnv) -> None:
    def explore(seed: int) -> list[tuple[int | None, str]]:
        explorer = make_explorer("branch", seed, {"hierarchy": "LeaderInTerm4"})
        visits = explorer.explore(raft, steps=60, seed=7)
        return [(visit.action, visit.info["concrete_hash"]) for visit in visits]

    first = explore(3)
    assert explore(3) == first
    assert explore(4) != first


def test_stored_states_are_limited(raft: GymnasiumEnv) -> None:
    explorer = BranchExplorer(1, remember=10)
    seen = [coverage_key(visit.info) for visit in explorer.explore(raft, steps=40)]
    state = explorer.get_state()
    assert len(state["seen"]) == 10 < len(set(seen))
    other = BranchExplorer(2)
    other.set_state(state)
    assert other.get_state() == state


def test_an_abandoned_exploration_leaves_no_process_behind(raft: GymnasiumEnv) -> None:
    explorer = BranchExplorer(1, keep=1)
    visits = explorer.explore(raft, steps=100)
    for visit in visits:
        if visit.step == 20:
            break
    assert explorer.kept > 3
    visits.close()
    assert explorer.kept == 0


def test_invalid_options_are_refused() -> None:
    with pytest.raises(ParameterError, match="snapshots must be at least 1"):
        BranchExplorer(snapshots=0)
    with pytest.raises(ParameterError, match="fresh must be above 0 to 1"):
        BranchExplorer(fresh=0)
    with pytest.raises(ParameterError, match=r"snapshot\(\) and restore\(\)"):
        next(BranchExplorer().explore(Chain(), steps=1))
