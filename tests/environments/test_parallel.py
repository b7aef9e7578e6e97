# SPDX-License-Identifier: GPL-2.0-only
"""The parallel interface: every live agent is in each step, whether it decides or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from defiance_zoo.environments import SimulationParallelEnv
from defiance_zoo.errors import NobodyDecided

Make = Callable[..., SimulationParallelEnv]


def play(env: SimulationParallelEnv) -> list[tuple[Any, ...]]:
    """Play one episode with action 0 and return each step's five dicts."""
    observations, infos = env.reset(seed=1)
    steps: list[tuple[Any, ...]] = [(observations, infos)]
    while env.agents:
        steps.append(env.step(dict.fromkeys(env.agents, 0)))
    return steps


def test_all_decisions_of_an_instant_are_one_step(make_parallel: Make) -> None:
    steps = play(make_parallel(agents=3, duration="30ms"))
    assert len(steps) == 4
    for count, (_, rewards, terminations, truncations, infos) in enumerate(steps[1:], start=1):
        assert rewards == {f"agent_{i}": count for i in range(3)}
        assert set(terminations.values()) == {False}
        assert set(truncations.values()) == {count == 3}
        assert {info["deciding"] for info in infos.values()} == {count < 3}


def test_agents_that_do_not_decide_repeat_their_observation(make_parallel: Make) -> None:
    # agent_1 decides every 20 ms, agent_0 every 10 ms.
    steps = play(make_parallel(scenario_case="uneven", agents=2, duration="45ms"))
    deciding = [step[-1]["agent_1"]["deciding"] for step in steps]
    assert deciding == [True, False, True, False, True, False]
    counts = [float(step[0]["agent_1"][0]) for step in steps]
    assert counts == [0, 0, 1, 1, 2, 3]
    rewards = [step[1]["agent_1"] for step in steps[1:]]
    assert rewards == [0, 1, 0, 2, 3]


def test_the_action_of_an_agent_that_does_not_decide_is_ignored(make_parallel: Make) -> None:
    env = make_parallel(scenario_case="uneven", agents=2, duration="45ms")
    env.reset()
    env.step({"agent_0": 1, "agent_1": 2})
    env.step({"agent_0": 1, "agent_1": 99})
    *_, infos = env.step({"agent_0": 1, "agent_1": 3})
    assert infos["agent_0"]["last_action"] == "1"
    env.step({"agent_0": 1})


def test_agents_can_join_and_leave(make_parallel: Make) -> None:
    steps = play(make_parallel(scenario_case="late", agents=2, duration="60ms"))
    alive = [set(step[0]) for step in steps]
    assert alive[0] == {"agent_0"}
    assert alive[-1] == {"agent_0", "agent_1"}

    env = make_parallel(scenario_case="leaving", agents=3, duration="1s")
    steps = play(env)
    ends = [
        (agent, step[2][agent], step[3][agent])
        for step in steps[1:]
        for agent in step[2]
        if step[2][agent] or step[3][agent]
    ]
    assert ends == [
        ("agent_0", True, False),
        ("agent_1", False, True),
        ("agent_2", True, False),
    ]
    for step in steps[1:]:
        assert all(set(part) == set(step[0]) for part in step)


def test_an_episode_that_ends_immediately_reports_it_in_the_first_step(make_parallel: Make) -> None:
    env = make_parallel(scenario_case="mute", agents=2)
    with pytest.warns(NobodyDecided):
        observations, infos = env.reset()
    assert set(observations) == {"agent_0", "agent_1"} == set(env.agents)
    assert not any(info["deciding"] for info in infos.values())
    _, _, _, truncations, _ = env.step(dict.fromkeys(env.agents, 0))
    assert truncations == {"agent_0": True, "agent_1": True}
    assert env.agents == []


def test_an_agent_may_join_in_the_step_in_which_max_cycles_ends_the_episode(
    make_parallel: Make,
) -> None:
    env = make_parallel(
        scenario_case="late", agents=2, interval="25ms", duration="1s", max_cycles=1
    )
    env.reset()
    observations, _, _, truncations, infos = env.step({"agent_0": 0})
    assert set(observations) == {"agent_0", "agent_1"}
    assert truncations == {"agent_0": True, "agent_1": True}
    assert infos["agent_1"]["sim_time_ns"] == 25_000_000
    assert env.agents == []


def test_max_cycles_counts_steps(make_parallel: Make) -> None:
    steps = play(make_parallel(agents=2, duration="1s", max_cycles=6))
    assert len(steps) == 7
    assert steps[-1][3] == {"agent_0": True, "agent_1": True}
    assert steps[-1][1] == {"agent_0": 6, "agent_1": 6}
