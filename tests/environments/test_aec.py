# SPDX-License-Identifier: GPL-2.0-only
"""Agents act when the simulation asks, and receive all that it reports."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from conftest import GYM_STYLE, PLAIN_MAIN

from defiance_zoo.environments import SimulationAECEnv
from defiance_zoo.environments.testing import exact
from defiance_zoo.errors import ResetNeeded

Make = Callable[..., SimulationAECEnv]
Turn = tuple[str, float, float, bool, bool, int]


def turns(env: SimulationAECEnv) -> list[Turn]:
    """Play one episode with action 0: (agent, count, reward, terminated, truncated, time in ms)."""
    env.reset(seed=1)
    reported = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        reported.append(
            (
                agent,
                float(observation[0]),
                reward,
                terminated,
                truncated,
                info["sim_time_ns"] // 10**6,
            )
        )
        env.step(None if terminated or truncated else 0)
    return reported


@pytest.mark.parametrize("rounds", ["sequential", "simultaneous"])
def test_an_agent_observes_the_effect_of_its_actions(make_aec: Make, rounds: str) -> None:
    # The k-th decision, counted from 0, is taken at 10 k ms and rewarded with k + 1 at the next.
    env = make_aec(duration="30ms", rounds=rounds)
    assert turns(env) == [
        ("agent_0", 0, 0, False, False, 0),
        ("agent_0", 1, 1, False, False, 10),
        ("agent_0", 2, 2, False, False, 20),
        ("agent_0", 3, 3, False, True, 30),
    ]


@pytest.mark.parametrize("rounds", ["sequential", "simultaneous"])
def test_agents_of_different_rates_act_in_order_of_time(make_aec: Make, rounds: str) -> None:
    # agent_0 every 10 ms, agent_1 every 20 ms; both get a final state at 45 ms, where neither acts.
    played = turns(make_aec(scenario_case="uneven", agents=2, duration="45ms", rounds=rounds))
    decisions = [(agent, time) for agent, *_, end, time in played if not end]
    expected = [("agent_0", t) for t in (0, 10, 20, 30, 40)]
    expected += [("agent_1", t) for t in (0, 20, 40)]
    assert sorted(decisions) == sorted(expected)
    assert [time for _, time in decisions] == sorted(time for _, time in decisions)
    assert played[-2:] == [
        ("agent_0", 5, 5, False, True, 45),
        ("agent_1", 3, 3, False, True, 45),
    ]


def test_agents_can_join_late(make_aec: Make) -> None:
    env = make_aec(scenario_case="late", agents=3, duration="60ms")
    assert env.possible_agents == ["agent_0"]
    played = turns(env)
    first = {agent: time for agent, *_, time in reversed(played)}
    assert first == {"agent_0": 0, "agent_1": 25, "agent_2": 50}
    assert sorted(turn for turn in played if turn[4]) == [
        ("agent_0", 6, 6, False, True, 60),
        ("agent_1", 4, 4, False, True, 60),
        ("agent_2", 1, 1, False, True, 60),
    ]
    assert env.possible_agents == ["agent_0", "agent_1", "agent_2"]
    assert turns(env) == played


def test_agents_can_leave_early_and_the_others_continue(make_aec: Make) -> None:
    # agent_i leaves after 2 (i + 1) decisions: terminated, truncated, terminated.
    played = turns(make_aec(scenario_case="leaving", agents=3, duration="1s"))
    assert [turn[:5] for turn in played if turn[3] or turn[4]] == [
        ("agent_0", 2, 2, True, False),
        ("agent_1", 4, 4, False, True),
        ("agent_2", 6, 6, True, False),
    ]


@pytest.mark.filterwarnings("ignore:no agent decided")
def test_an_agent_that_never_acts_still_ends(make_aec: Make) -> None:
    env = make_aec(scenario_case="mute", agents=2)
    assert turns(env) == [
        ("agent_0", 0, 0, False, True, 100),
        ("agent_1", 0, 0, False, True, 100),
    ]


def test_final_infos_arrive_for_agents_that_acted_earlier(make_aec: Make) -> None:
    env = make_aec(agents=3, duration="20ms")
    env.reset()
    finals = {}
    for agent in env.agent_iter():
        *_, terminated, truncated, info = env.last()
        if terminated or truncated:
            finals[agent] = info
        env.step(None if terminated or truncated else 5)
    for agent in ("agent_0", "agent_1", "agent_2"):
        info = finals[agent]
        assert (info["count"], info["half"], info["last_action"]) == (2, 1.0, "5")
        assert info["pair"].tolist() == [2.0, -1.0]


def test_values_of_every_kind_of_space_pass_in_both_directions(make_aec: Make) -> None:
    env = make_aec(scenario_case="echo", duration="1s")
    env.reset(seed=1)
    space = env.action_space("agent_0")
    assert space == env.observation_space("agent_0")
    assert str(space["wide"].dtype) == "uint64"
    assert space["wide"].high.tolist() == [2**64 - 1] * 3
    space.seed(4)
    for _ in range(100):
        action = space.sample()
        env.step(action)
        observation, *_ = env.last()
        assert space.contains({**observation})
        action["nested"][0]["scalar"] = np.asarray(action["nested"][0]["scalar"])
        assert exact(observation) == exact(action)


def test_a_million_floats_are_transferred(make_aec: Make) -> None:
    env = make_aec(size=1_000_000)
    env.reset()
    env.step(0)
    observation, *_ = env.last()
    assert observation.shape == (1_000_000,)
    assert (observation == 1).all()


def test_a_hundred_agents_are_supported(make_aec: Make) -> None:
    played = turns(make_aec(agents=100, duration="20ms"))
    assert len(played) == 300
    assert {turn[2] for turn in played[-100:]} == {2}


@pytest.mark.parametrize("rounds", ["sequential", "simultaneous"])
def test_max_cycles_truncates_all_agents_with_their_last_rewards(
    make_aec: Make, rounds: str
) -> None:
    played = turns(make_aec(agents=3, duration="1s", max_cycles=4, rounds=rounds))
    assert len(played) == 3 * 5
    assert played[-3:] == [(f"agent_{i}", 4, 4, False, True, 40) for i in range(3)]


def test_spaces_are_the_same_objects_before_and_after_resets(make_aec: Make) -> None:
    env = make_aec()
    space = env.action_space("agent_0")
    for _ in range(3):
        env.reset()
        assert env.action_space("agent_0") is space


@pytest.mark.filterwarnings("ignore:no agent decided")
def test_a_dead_agent_accepts_only_none(make_aec: Make) -> None:
    env = make_aec(duration="0ms")
    env.reset()
    with pytest.raises(ValueError, match="the only valid action is None"):
        env.step(0)
    env.step(None)
    with pytest.raises(ResetNeeded):
        env.step(None)


def test_step_before_the_first_reset_raises(make_aec: Make) -> None:
    with pytest.raises(ResetNeeded):
        make_aec().step(0)


def test_a_plain_main_function_works_unchanged(make_aec: Make) -> None:
    env = make_aec(PLAIN_MAIN, steps=3)
    env.reset(seed=1)
    rewards = []
    for _agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        rewards.append((reward, truncated, info["sim_time_ns"]))
        env.step(None if terminated or truncated else 1)
    # The agent is asked at 1 ms, acts 1 ms later, and is asked every 9 ms; the last reward is -100.
    assert rewards == [
        (0, False, 1_000_000),
        (1, False, 11_000_000),
        (2, False, 21_000_000),
        (-100, True, 22_000_000),
    ]


def test_an_ns3_gym_scenario_runs_as_agent_0(make_aec: Make) -> None:
    env = make_aec(GYM_STYLE)
    env.reset(seed=1)
    assert env.observation_space("agent_0").dtype == np.uint32
    reported = []
    for _agent in env.agent_iter():
        observation, reward, terminated, truncated, _info = env.last()
        reported.append((observation.tolist(), reward, terminated))
        env.step(None if terminated or truncated else 3)
    assert reported == [([0, 0, 7], 0, False), ([1, 3, 7], 3, False), ([2, 6, 7], 6, True)]
