# SPDX-License-Identifier: GPL-2.0-only
"""Rewards of bonuses in the interfaces of learning libraries."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from chain import LEFT, RIGHT, Chain, reached
from pettingzoo import ParallelEnv
from sb3_contrib import MaskablePPO

from defiance_zoo.envs import partition_v0
from defiance_zoo.errors import InvalidReward, ParameterError
from defiance_zoo.protocols.predicates.hierarchies import find_hierarchy, of_infos
from defiance_zoo.protocols.rewards import (
    Bonus,
    CountBonus,
    NegVisits,
    RewardedEnv,
    RewardedParallelEnv,
    ViolationReward,
    WaypointBonus,
)
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv


def rewards(env: RewardedEnv, *episodes: tuple[int, ...]) -> list[float]:
    """Play episodes of given actions, and return the reward of each step."""
    found = []
    for actions in episodes:
        env.reset()
        found += [float(env.step(action)[1]) for action in actions]
    return found


@pytest.mark.parametrize(
    ("bonus", "expected"),
    [
        (CountBonus(), [1, 1, 1 / 2, 1 / 3, 1]),
        (CountBonus("state"), [1, 1, 1 / 2, 1 / 3, 1]),
        (CountBonus("state", scale=10), [10, 10, 5, 10 / 3, 10]),
        (NegVisits(), [-1, -1, -2, -3, -1]),
        (WaypointBonus([reached(1), reached(2)]), [2, 0, 2, 2, 2]),
        (WaypointBonus([reached(1)]), [2, 0, 0, 2, 0]),
    ],
)
def test_each_step_gets_its_bonus(bonus: Bonus, expected: list[float]) -> None:
    env = RewardedEnv(Chain(), bonus)
    # 0, 1, 0, 1 and 0, 1, 2: the action right in 0 was taken three times when 2 is reached.
    assert rewards(env, (RIGHT, LEFT, RIGHT), (RIGHT, RIGHT)) == pytest.approx(expected)


def test_bonuses_are_added_to_the_reward_of_the_environment() -> None:
    class Paid(Chain):
        def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            observation, _, *rest = super().step(action)
            return observation, 0.25, *rest  # type: ignore[return-value]

    both = NegVisits(), WaypointBonus([reached(2)])
    assert rewards(RewardedEnv(Paid(), *both), (RIGHT, RIGHT)) == [-0.75, 1.25]
    both = NegVisits(), WaypointBonus([reached(2)])
    assert rewards(RewardedEnv(Paid(), *both, keep_reward=False), (RIGHT, RIGHT)) == [-1, 1]


def test_violations_are_rewarded_and_counted_by_property() -> None:
    env = RewardedEnv(Chain(), ViolationReward(100))
    assert rewards(env, (RIGHT, RIGHT, RIGHT)) == [0, 0, 100]
    assert env.get_state() == {"bonuses": [{"bonus": "violation_reward", "counts": {"too_far": 1}}]}


def test_counts_of_bonuses_are_saved_and_loaded() -> None:
    def make() -> RewardedEnv:
        bonuses = CountBonus(), NegVisits(), WaypointBonus([reached(1)]), ViolationReward()
        return RewardedEnv(Chain(), *bonuses)

    whole, first, second = make(), make(), make()
    episodes = (RIGHT, LEFT, RIGHT), (RIGHT, RIGHT, RIGHT)
    expected = rewards(whole, *episodes, *episodes)
    rewards(first, *episodes)
    second.set_state(json.loads(json.dumps(first.get_state())))
    assert rewards(second, *episodes) == expected[6:]
    assert second.get_state() == whole.get_state()
    assert second.get_state()["bonuses"][2]["advanced"] == [4]
    with pytest.raises(ParameterError, match="'neg_visits', not count_bonus"):
        RewardedEnv(Chain(), CountBonus()).set_state(RewardedEnv(Chain(), NegVisits()).get_state())
    with pytest.raises(ParameterError, match="the state of 4 bonuses"):
        RewardedEnv(Chain(), CountBonus()).set_state(whole.get_state())


def test_invalid_options_are_refused() -> None:
    with pytest.raises(ParameterError, match="at least one bonus"):
        RewardedEnv(Chain())
    with pytest.raises(ParameterError, match="at least one predicate"):
        WaypointBonus([])
    with pytest.raises(ParameterError, match="'action' or 'state'"):
        CountBonus("sa")  # type: ignore[arg-type]


def test_agents_of_a_parallel_environment_share_their_counts() -> None:
    hierarchy = of_infos(find_hierarchy("LeaderInTerm4"))
    env = RewardedParallelEnv(
        partition_v0.parallel_env(horizon=12, election_ticks=4, heartbeat_ticks=2, link="local"),
        NegVisits(),
        WaypointBonus(hierarchy, scale=0.5),
    )
    chance = np.random.default_rng(1)
    visits: dict[str, int] = {}
    advanced = 0
    for seed in (1, 2, 3):
        _, infos = env.reset(seed=seed)
        (agent,) = env.agents
        levels = [_level(hierarchy, infos[agent])]
        while env.agents:
            mask = infos[agent]["action_mask"]
            action = int(chance.choice(np.flatnonzero(mask)))
            _, earned, _, _, infos = env.step({agent: action})
            state = infos[agent]["state_hash"]
            visits[state] = visits.get(state, 0) + 1
            levels.append(_level(hierarchy, infos[agent]))
            done = len(hierarchy) in levels[:-1]
            rose = levels[-1] > levels[-2] and not done
            advanced += rose
            assert earned[agent] == -visits[state] + rose
    env.close()
    assert advanced
    assert env.get_state()["bonuses"][0]["counts"] == visits


class Turns(ParallelEnv[str, Any, Any]):
    """Two agents in turns; each receives its reward when it decides again, as in RLlib."""

    possible_agents = agents = ["one", "other"]  # noqa: RUF012
    render_mode = None

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        return {"one": 0}, {"one": {"state_hash": "begin"}}

    def step(self, actions: dict[str, int]) -> Any:
        after = {"one": "other", "other": "one"}[next(iter(actions))]
        told = {after: {"state_hash": f"seen by {after}"}}
        return {after: 0}, {after: 0.0}, {after: False}, {after: False}, told


def test_agents_in_turns_are_rewarded_too() -> None:
    env = RewardedParallelEnv(Turns(), NegVisits())
    env.reset()
    earned = [env.step({agent: 0})[1] for agent in ["one", "other"] * 2]
    assert earned == [{"other": 0.0}, {"one": -1.0}, {"other": -1.0}, {"one": -2.0}]
    env.reset()
    assert env.step({"one": 0})[1] == {"other": 0.0}


def test_maskable_ppo_learns_from_bonuses() -> None:
    """The simulation aborts at a forbidden action."""
    env = RewardedEnv(GymnasiumEnv(partition_v0.SPEC, horizon=10), CountBonus("state"))
    model = MaskablePPO("MultiInputPolicy", env, n_steps=32, batch_size=32, seed=1, device="cpu")
    model.learn(64)
    counts = env.get_state()["bonuses"][0]["counts"]
    assert sum(counts.values()) == 64
    assert all(episode["l"] == 10 for episode in model.ep_info_buffer)
    assert {episode["r"] > 1 for episode in model.ep_info_buffer} == {True}  # 1 per new state
    env.close()


def _level(hierarchy: list[Any], info: dict[str, Any]) -> int:
    held = [number for number, holds in enumerate(hierarchy, 1) if holds(info)]
    return max(held, default=0)


@pytest.mark.parametrize("earned", [math.nan, math.inf])
def test_a_bonus_that_is_not_finite_is_refused(earned: float) -> None:
    class Wrong(Bonus):
        name = "wrong"

        def of_step(self, agent: str, before: Any, action: int, after: Any) -> float:
            return earned

    env = RewardedEnv(Chain(), Wrong())
    env.reset()
    with pytest.raises(InvalidReward, match=f"with its bonuses, the reward is {earned}"):
        env.step(RIGHT)
