# SPDX-License-Identifier: GPL-2.0-only
"""Explorers that draw whole schedules: priorities, mutants, and kinds of actions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from chain import Chain
from conftest import ROOT
from partition_support import follow

from defiance_zoo.environments import lookup
from defiance_zoo.envs import partition_v0
from defiance_zoo.envs.partition.actions import find_actions, meaning_of
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers import (
    PCT,
    BonusMax,
    BranchExplorer,
    Explorer,
    Mutation,
    NegRL,
    Swarm,
    Visit,
    read_situation,
)
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

RAFT_IN_PYTHON = str(ROOT / "examples" / "protocols" / "raft.py")
MADE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("pct", {}),
    ("mutation", {}),
    ("swarm", {}),
    ("swarm", {"explorer": "negrl", "alpha": 0.2}),
    ("swarm", {"explorer": "mutation", "share": 0.9}),
)


@pytest.fixture
def raft() -> Iterator[GymnasiumEnv]:
    """Raft in which no replicas look alike."""
    short = {"horizon": 30, "election_ticks": 4, "heartbeat_ticks": 2}
    env = GymnasiumEnv(partition_v0.SPEC, link="local", painter="id,state,term:6", **short)
    yield env
    env.close()


def play(explorer: Explorer, env: Any, episodes: int, seed: int = 1) -> list[list[Visit]]:
    """Return the visits of each episode."""
    played: list[list[Visit]] = []
    for visit in explorer.explore(env, steps=100_000, seed=seed, episodes=episodes):
        if visit.action is None:
            played.append([])
        played[-1].append(visit)
    return played


def kinds_of(visits: Sequence[Visit]) -> list[str]:
    """Return the kinds of the actions of an episode."""
    found = []
    for before, after in pairwise(visits):
        assert after.action is not None
        found.append(find_actions(before.info)[after.action].kind)
    return found


@pytest.mark.parametrize(("name", "options"), MADE)
@pytest.mark.parametrize("protocol", ["partition_v0", "partition_tendermint_v0", RAFT_IN_PYTHON])
def test_the_seed_determines_the_episodes(
    name: str, options: dict[str, Any], protocol: str
) -> None:
    def actions() -> list[tuple[int, int | None]]:
        with closing(GymnasiumEnv(lookup(protocol), link="local", horizon=12)) as env:
            episodes = play(make_explorer(name, 3, options), env, 6)
        return [(visit.seed, visit.action) for visits in episodes for visit in visits]

    assert actions() == actions()


@pytest.mark.parametrize(("name", "options"), MADE)
def test_an_explorer_continues_from_its_file(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    def actions(explorer: Explorer) -> list[int | None]:
        return [v.action for v in explorer.explore(Chain(length=6, horizon=5), steps=50)]

    first, second = (make_explorer(name, seed, options) for seed in (7, 8))
    actions(first)
    first.save(tmp_path / "explorer")
    second.load(tmp_path / "explorer")
    assert second.get_state() == first.get_state() == json.loads(json.dumps(first.get_state()))
    assert actions(second) == actions(first)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("pct", {"depth": 0}, "depth must be at least 1"),
        ("mutation", {"corpus": 0}, "corpus must be at least 1"),
        ("mutation", {"fresh": 0}, "fresh must be above 0 to 1"),
        ("swarm", {"share": 0}, "share must be above 0 to 1"),
        ("swarm", {"explorer": "swarm"}, "explorer='swarm' is not known; there are"),
        ("swarm", {"explorer": ["random"]}, "is not known; there are"),
        ("swarm", {"explorer": "branch"}, "swarm cannot select the actions of branch"),
        ("swarm", {"explorer": "negrl", "alpa": 0.2}, "negrl has no option 'alpa'; did you mean"),
        ("swarm", {"explorer": "waypoint"}, "waypoint needs the option hierarchy"),
        ("swarm", {"inner": "random"}, "random has no option 'inner'"),
    ],
)
def test_invalid_options_are_refused(name: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        make_explorer(name, 1, options)


@pytest.mark.parametrize("change", [{"tests": [[1, [], 1.0]]}, {"tests": [[1, [[3, 4]], 1.0]]},
                                    {"seen": [[]]}, {"tests": [[1, ["a"], -1]]}])  # fmt: skip
def test_a_damaged_corpus_is_refused(change: dict[str, Any]) -> None:
    explorer = Mutation(1)
    play(explorer, Chain(length=6, horizon=5), 3)
    state = explorer.get_state()
    with pytest.raises(ParameterError, match="not a state of mutation"):
        explorer.set_state({**state, **change})
    assert explorer.get_state() == state


def test_pct_changes_the_division_at_most_as_often_as_its_depth_says() -> None:
    env = GymnasiumEnv(partition_v0.SPEC, link="local", painter="id", with_crashes=False)
    with closing(env):
        for depth in (1, 4):
            most = 0
            for visits in play(PCT(1, depth=depth), env, 25):
                taken = [(find_actions(b.info)[a.action or 0], b.info) for b, a in pairwise(visits)]
                made = {meaning_of(act, info) for act, info in taken if act.kind == "create"}
                most = max(most, len(made))
            assert 1 <= most <= depth
            assert (most > 1) == (depth > 1)


def test_without_changes_pct_has_one_order_of_tasks(raft: GymnasiumEnv) -> None:
    """If a task acts while another one may act, it does so in the whole episode."""
    for visits in play(PCT(2, depth=1), raft, 25):
        before_others = set()
        for before, after in pairwise(visits):
            actions, allowed = find_actions(before.info), read_situation(before.info).actions
            tasks = {number: meaning_of(actions[number], before.info)[:2] for number in allowed}
            named = {n: "network" if t[0] in ("keep", "create") else t for n, t in tasks.items()}
            mine = named[after.action or 0]
            before_others |= {(mine, each) for each in named.values() if each != mine}
        assert not any((other, mine) in before_others for mine, other in before_others)


def test_mutants_repeat_their_parents_up_to_the_first_change(raft: GymnasiumEnv) -> None:
    episodes = play(Mutation(1, fresh=0.2), raft, 40)
    first: dict[int, list[Visit]] = {}
    shared = []
    for visits in episodes:
        parent = first.setdefault(visits[0].seed, visits)
        if parent is not visits:
            pairs = zip(parent, visits, strict=False)
            same = [a.info["concrete_hash"] == b.info["concrete_hash"] for a, b in pairs]
            shared.append(same.index(False) if False in same else len(same))
    assert len(shared) > 20  # mutants have the seeds of their parents
    assert max(shared) > 10
    assert len(set(shared)) > 5


def test_mutants_reach_more_states_than_random_tests_in_few_steps() -> None:
    """In a long chain that resets at random steps, only kept schedules come far."""
    reached = {}
    for name in ("random", "mutation"):
        env = Chain(length=40, horizon=60)
        visits = make_explorer(name, 1, {}).explore(env, steps=24_000)
        reached[name] = max(visit.info["place"] for visit in visits)
    assert reached["mutation"] > reached["random"]


def test_episodes_of_a_swarm_have_different_kinds_of_actions(raft: GymnasiumEnv) -> None:
    found = [frozenset(kinds_of(visits)) for visits in play(Swarm(1), raft, 40)]
    assert len(set(found)) > 6
    for kind in ("create", "request", "stop"):
        assert any(kind in each for each in found)
        assert any(kind not in each for each in found)


def test_the_explorer_in_a_swarm_learns_from_its_own_actions(raft: GymnasiumEnv) -> None:
    swarm = Swarm(inner=NegRL(1))
    episodes = play(swarm, raft, 3)
    values = swarm.get_state()["inner"]["values"]
    for visits in episodes:
        for before, after in pairwise(visits):
            assert values[before.info["state_hash"]][str(after.action)] < 0


def test_a_swarm_cannot_contain_another_order_of_actions() -> None:
    for inner in (BranchExplorer(), Swarm()):
        with pytest.raises(ParameterError, match="swarm cannot select the actions of"):
            Swarm(inner=inner)
    assert isinstance(Swarm(inner=BonusMax()).inner, BonusMax)


@pytest.mark.parametrize(("name", "options"), MADE)
def test_explorers_decide_in_loops_over_agents(name: str, options: dict[str, Any]) -> None:
    explorer = make_explorer(name, 1, options)
    env = partition_v0.env(horizon=15)
    for seed in range(3):
        situations = []

        def choose(info: dict[str, Any], seen: list[Any] = situations) -> int:
            situation = read_situation(info)
            if not seen:
                explorer.begin(situation)
            else:
                explorer.learn(*seen[-1], situation, False)
            position = explorer.choose(situation)
            seen.append((situation, position))
            return situation.actions[position]

        taken = [action for _, action in follow(env, choose, explorer.pick_seed(seed))]
        explorer.finish()
        assert len(taken) == 16
    env.close()
