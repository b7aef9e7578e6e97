# SPDX-License-Identifier: GPL-2.0-only
"""The updates of explorers, compared with updates computed by hand."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chain import LEFT, RIGHT, Chain, reached

from defiance_zoo.envs import partition_v0
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers import (
    BonusMax,
    Explorer,
    NegRL,
    NegRLVisits,
    Random,
    Waypoint,
    read_situation,
)
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.protocols.predicates.hierarchies import find_hierarchy, of_infos
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

KINDS: dict[str, Callable[[int], Explorer]] = {
    "random": Random,
    "negrl": NegRL,
    "negrl_visits": NegRLVisits,
    "bonus_max": BonusMax,
    "waypoint": lambda seed: Waypoint(seed, predicates=[reached(1), reached(2)]),
}


def teach(explorer: Explorer, *episodes: tuple[int, ...], ends: bool = False) -> dict[str, Any]:
    """Show episodes of given actions to an explorer; return its state."""
    env = Chain(horizon=3, ends=ends)
    for actions in episodes:
        _, info = env.reset()
        situation = read_situation(info)
        explorer.begin(situation)
        for action in actions:
            _, _, terminated, _, info = env.step(action)
            after = read_situation(info)
            explorer.learn(situation, situation.actions.index(action), after, terminated)
            situation = after
        explorer.finish()
    return explorer.get_state()


def test_bonus_max_takes_the_larger_of_bonus_and_future_value() -> None:
    # First: max(1 / 1, 0.95 * 1) = 1. Then max(1 / 2, 0.95 * 1) = 0.95, as s1 has an untried action
    # of value 1; the sum would be 1.45.
    values = teach(BonusMax(), (RIGHT,), (RIGHT,))["values"]
    assert values == {"s0": {"right": pytest.approx(0.8 * 1 + 0.2 * 0.95)}}
    # s0, third time: max(1 / 3, 0.95 * 1). Action left in s1 leads to s0: max(1 / 1, 0.95 * third).
    third = 0.8 * 0.99 + 0.2 * 0.95
    values = teach(BonusMax(), (RIGHT,), (RIGHT,), (RIGHT, LEFT))["values"]
    assert values["s0"]["right"] == pytest.approx(third)
    assert values["s1"]["left"] == pytest.approx(1.0)


def test_terminated_episodes_have_no_future_value_and_truncated_ones_have() -> None:
    along = (RIGHT, RIGHT, RIGHT)
    ended = teach(BonusMax(alpha=1), along, along, ends=True)["values"]
    cut = teach(BonusMax(alpha=1), along, along)["values"]
    assert ended["s2"]["right"] == pytest.approx(1 / 2)
    assert cut["s2"]["right"] == pytest.approx(0.95)  # no action was taken in s3


def test_negrl_is_q_learning_with_minus_one_for_each_step() -> None:
    first = 0.3 * -1
    second = first + 0.3 * (-1 + 0.7 * 0 - first)  # left in s1 was never tried: 0
    values = teach(NegRL(), (RIGHT,), (RIGHT,))["values"]
    assert values == {"s0": {"right": pytest.approx(second)}}
    assert second == pytest.approx(-0.51)


def test_negrl_visits_counts_reached_states() -> None:
    state = teach(NegRLVisits(), (RIGHT,), (RIGHT,))
    assert state["values"] == {"s0": {"right": pytest.approx(-0.3 + 0.3 * (-2 + 0.3))}}
    assert state["visits"] == {"s1": 2}


def test_softmax_prefers_less_negative_values() -> None:
    explorer = NegRL(3)
    explorer.set_state({**explorer.get_state(), "values": {"s1": {"left": -1.0, "right": 0.0}}})
    situation = read_situation(
        {"state_hash": "s1", "action_mask": [1, 1], "action_hashes": "left\nright"}
    )
    chosen = Counter(explorer.choose(situation) for _ in range(4000))
    assert chosen[1] / 4000 == pytest.approx(1 / (1 + math.exp(-1)), abs=0.03)


def test_waypoint_updates_a_segment_from_its_end_to_its_start() -> None:
    explorer = Waypoint(predicates=[reached(2), reached(3)])
    values = teach(explorer, (RIGHT, RIGHT, RIGHT))["values"]
    advanced = 0.8 * 1 + 0.2 * (1 + 2)  # s1 to s2, and s2 to s3
    assert values[0]["s1"] == {"right": pytest.approx(advanced)}
    assert values[1] == {"s2": {"right": pytest.approx(advanced)}}
    # The first step's value includes the reward of the second.
    assert values[0]["s0"] == {"right": pytest.approx(0.8 * 1 + 0.2 * 0.95 * advanced)}
    assert values[2] == {}


def test_waypoint_stays_at_the_last_predicate_until_the_end_of_the_episode() -> None:
    explorer = Waypoint(predicates=[reached(1)])
    state = teach(explorer, (RIGHT, LEFT, RIGHT))
    assert set(state["values"][0]) == {"s0"}
    assert state["visits"][1] == {"s1": {"left": 1.0}, "s0": {"right": 1.0}}
    assert max(state["values"][1]["s0"].values()) == pytest.approx(1.0)  # no second advance


def test_waypoint_that_falls_back_updates_the_table_of_its_earlier_predicate() -> None:
    explorer = Waypoint(predicates=[reached(1), reached(3)])
    visits = teach(explorer, (RIGHT, LEFT, RIGHT))["visits"]
    assert visits[0] == {"s0": {"right": 2.0}}
    assert visits[1] == {"s1": {"left": 1.0}}


def test_a_greedy_explorer_takes_a_best_action_and_breaks_ties_randomly() -> None:
    explorer = BonusMax(epsilon=0)
    situation = read_situation({"state_hash": "s", "action_mask": [1, 0, 1, 1]})
    assert situation.keys == ("0", "2", "3")
    assert {explorer.choose(situation) for _ in range(50)} == {0, 1, 2}
    values = {"s": {"0": 0.5, "2": 0.9, "3": 0.9}}
    explorer.set_state({**explorer.get_state(), "values": values})
    assert {explorer.choose(situation) for _ in range(50)} == {1, 2}


@pytest.mark.parametrize("kind", KINDS)
def test_an_explorer_continues_from_its_file(kind: str, tmp_path: Path) -> None:
    def actions(explorer: Explorer, steps: int) -> Iterator[int | None]:
        return (visit.action for visit in explorer.explore(Chain(length=6, horizon=5), steps=steps))

    whole, first, second = KINDS[kind](7), KINDS[kind](7), KINDS[kind](8)
    list(actions(whole, 50))
    rest = list(actions(whole, 50))
    list(actions(first, 50))
    first.save(tmp_path / "explorer")
    second.load(tmp_path / "explorer")
    assert list(actions(second, 50)) == rest
    assert second.get_state() == whole.get_state() == json.loads(json.dumps(whole.get_state()))
    assert [path.name for path in tmp_path.iterdir()] == ["explorer"]


def test_a_state_of_another_kind_is_refused(tmp_path: Path) -> None:
    BonusMax().save(tmp_path / "bonus")
    with pytest.raises(ParameterError, match="'bonus_max', not negrl"):
        NegRL().load(tmp_path / "bonus")
    (tmp_path / "bonus").write_bytes(b"no")
    with pytest.raises(ParameterError, match="is not a state of an explorer"):
        BonusMax().load(tmp_path / "bonus")
    with pytest.raises(ParameterError, match="has 2 predicates, not 1"):
        Waypoint(predicates=[reached(1)]).set_state(KINDS["waypoint"](1).get_state())


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("bonus_max", {"alpha": 0}, "alpha must be above 0 to 1"),
        ("bonus_max", {"gamma": 1.5}, "gamma must be from 0 to 1"),
        ("bonus_max", {"apha": 0.5}, "'apha'.*did you mean 'alpha'"),
        ("negrl", {"temperature": 0}, "temperature must be above 0"),
        ("bonusmax", {}, "did you mean 'bonus_max'"),
        ("bonus_max", {"alpha": "a"}, "alpha of bonus_max must be a number"),
        ("waypoint", {}, "waypoint needs the option hierarchy"),
        ("waypoint", {"hierarchy": "LogGap3"}, "hierarchy='LogGap3' is not known"),
    ],
)
def test_invalid_options_are_refused(name: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        make_explorer(name, 1, options)


@pytest.fixture
def raft() -> Iterator[GymnasiumEnv]:
    """Raft with a short horizon."""
    env = GymnasiumEnv(partition_v0.SPEC, link="local", horizon=10)
    yield env
    env.close()


def test_explorers_take_only_allowed_actions_of_raft(raft: GymnasiumEnv) -> None:
    for kind in ("random", "negrl", "negrl_visits", "bonus_max"):
        visits = list(make_explorer(kind, 1, {}).explore(raft, steps=60, seed=5))
        assert visits[-1].step == 60
        assert visits[-1].episode == 5
        assert [visit.action is None for visit in visits[:12]] == [True] + [False] * 10 + [True]


def test_waypoint_reads_predicates_of_replicas(raft: GymnasiumEnv) -> None:
    explorer = make_explorer("waypoint", 1, {"hierarchy": "LeaderInTerm4"})
    list(explorer.explore(raft, steps=120, seed=5))
    visited = [sum(map(len, table.values())) for table in explorer.get_state()["visits"]]
    assert len(visited) == 5
    assert visited[0] > 0
    assert visited[1] > 0
    predicates = of_infos(find_hierarchy("LeaderInTerm4"))
    _, info = raft.reset(seed=5)
    assert not any(holds(info) for holds in predicates)


def test_hashes_and_numbers_of_actions_are_equivalent() -> None:
    """In states of one hash a number has one meaning, so explorers act the same with either."""
    seen = []
    for hashes in (False, True):
        env = GymnasiumEnv(partition_v0.SPEC, link="local", horizon=10, action_hashes=hashes)
        visits = list(BonusMax(1).explore(env, steps=100))
        env.close()
        seen.append([(visit.action, visit.info["state_hash"]) for visit in visits])
        assert ("action_hashes" in visits[0].info) == hashes
    assert seen[0] == seen[1]


def test_an_environment_without_hashes_is_refused() -> None:
    with pytest.raises(ParameterError, match="need the info 'state_hash'"):
        read_situation({"action_mask": [1]})


@pytest.mark.parametrize("name", ["no_module:LED", "math:LED", ":LED", ".module:LED"])
def test_hierarchies_that_cannot_be_imported_are_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="cannot be imported"):
        find_hierarchy(name)
