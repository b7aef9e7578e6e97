# SPDX-License-Identifier: GPL-2.0-only
"""Several simulations of many agents: the parallel interface's dicts as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from conftest import PROGRAMS, over, resources, simulations

from defiance_zoo import errors, make_vec
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, MultiAgentVectorEnv

TRIAL = EnvironmentSpec("trial_v0", Scenario("trial", PROGRAMS / "trial"))
Make = Callable[..., MultiAgentVectorEnv]


@pytest.fixture
def make(link: str) -> Iterator[Make]:
    """Make vector environments that are closed after the test."""
    made: list[MultiAgentVectorEnv] = []

    def make_one(num_envs: int = 2, **arguments: Any) -> MultiAgentVectorEnv:
        env = TRIAL.multi_agent_vector_env(num_envs, **{**over(link), **arguments})
        made.append(env)
        return env

    yield make_one
    for env in made:
        env.close()


CASES = [
    {"agents": 3},
    {"agents": 3, "scenario_case": "uneven"},
    {"agents": 3, "scenario_case": "leaving"},
    {"agents": 3, "scenario_case": "late", "max_agents": 3},
    {"agents": 2, "max_cycles": 4},
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_vector_reports_the_same_as_the_parallel_interface(
    make: Make, case: dict[str, Any]
) -> None:
    arguments = {name: value for name, value in case.items() if name != "max_agents"}
    reference = TRIAL.parallel_env(link="local", **arguments)
    env = make(autoreset_mode="Disabled", **case)
    try:
        _compare_episode(reference, env)
    finally:
        reference.close()


def _compare_episode(reference: Any, env: MultiAgentVectorEnv) -> None:
    """Play one episode in both, with the same actions in each simulation."""
    expected, reported = reference.reset(seed=3)
    observations, infos = env.reset(seed=[3, 3])
    rng = np.random.default_rng(1)
    steps = 0
    while True:
        rows = {agent: env.possible_agents.index(agent) for agent in expected}
        for agent, row in rows.items():
            assert observations[:, row].tolist() == [expected[agent].tolist()] * 2
            assert infos["deciding"][:, row].tolist() == [reported[agent]["deciding"]] * 2
            if reported[agent]["deciding"]:
                assert infos["count"][:, row].tolist() == [reported[agent]["count"]] * 2
        assert infos["sim_time_ns"].tolist() == [next(iter(reported.values()))["sim_time_ns"]] * 2
        alive = [agent in reference.agents for agent in env.possible_agents]
        assert infos["alive"][:, : len(alive)].tolist() == [alive] * 2
        if not reference.agents:
            break
        actions = rng.integers(8, size=env.max_agents)
        expected, rewards, terminations, truncations, reported = reference.step(
            {agent: actions[row] for agent, row in rows.items() if agent in reference.agents}
        )
        batch = np.broadcast_to(actions, (2, env.max_agents))
        observations, *flags, infos = env.step(batch)
        for values, dicts in zip(flags, (rewards, terminations, truncations), strict=True):
            rows = {agent: env.possible_agents.index(agent) for agent in dicts}
            for agent, row in rows.items():
                assert values[:, row].tolist() == [dicts[agent]] * 2
        steps += 1
    assert steps > 3
    with pytest.raises(errors.ResetNeeded):
        env.step(batch)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_the_next_episode_begins_automatically(make: Make, mode: str) -> None:
    env = make(agents=2, duration="25ms", autoreset_mode=mode)
    env.reset(seed=1)
    counts, ends = [], []
    for _ in range(8):
        observations, _, _, truncations, infos = env.step(np.zeros((2, 2), np.int64))
        counts.append(int(observations[0, 0, 0]))
        ends.append(bool(truncations.all()))
        if ends[-1] and mode == "SameStep":
            assert infos["final_obs"][1][:, 0].tolist() == [3, 3]
            assert infos["final_info"][1]["count"][1].tolist() == [3, 3]
            assert infos["alive"].all()
    if mode == "NextStep":
        assert counts == [1, 2, 3, 0, 1, 2, 3, 0]
        assert ends == [False, False, True, False] * 2
    else:
        assert counts == [1, 2, 0, 1, 2, 0, 1, 2]
        assert ends == [False, False, True, False, False, True, False, False]


def test_recv_returns_simulations_that_are_ready(make: Make) -> None:
    env = make(3, agents=2, batch_size=1)
    env.async_reset(seed=1)
    decisions = np.zeros(3, int)
    for _ in range(30):
        observations, rewards, *_, infos = env.recv()
        (member,) = infos["env_id"]
        assert observations.shape == (1, 2, 4)
        assert rewards.shape == (1, 2)
        assert observations[0, :, 0].tolist() == [decisions[member] % 11] * 2
        decisions[member] += 1
        env.send(np.zeros((1, 2), np.int64), [member])
    assert decisions.sum() == 30


def test_actions_of_agents_that_do_not_decide_are_ignored(make: Make) -> None:
    env = make(1, agents=2, scenario_case="uneven")
    _, infos = env.reset(seed=1)
    assert infos["deciding"].tolist() == [[True, True]]
    _, _, _, _, infos = env.step(np.array([[1, 2]]))
    assert infos["deciding"].tolist() == [[True, False]]
    env.step(np.array([[3, 99]]))
    with pytest.raises(errors.InvalidAction, match=r"agent_0.*in simulation 0.*99"):
        env.step(np.array([[99, 0]]))
    with pytest.raises(errors.InvalidAction, match="in simulation 0 are not in Discrete"):
        env.step({"agent_0": [0, 0]})
    env.step(np.array([[4, 5]]))


def test_agents_that_cannot_be_batched_are_refused(make: Make) -> None:
    before = resources()
    with pytest.raises(errors.NotHomogeneous, match="texts"):
        make(scenario_case="echo")
    with pytest.raises(errors.ParameterError, match="there are 3 agents"):
        make(agents=3, max_agents=2)
    assert resources() == before


def test_one_agent_more_than_the_maximum_raises(make: Make) -> None:
    env = make(1, agents=2, scenario_case="late")
    env.reset(seed=1)
    actions = np.zeros((1, 1), np.int64)
    env.step(actions)
    env.step(actions)
    with pytest.raises(errors.ParameterError, match="agent_1 joined 1 others; set max_agents=2"):
        env.step(actions)


def test_a_failure_can_be_reported_as_a_truncation(make: Make) -> None:
    env = make(agents=2, restart_on_failure=True)
    env.reset(seed=1)
    simulations()[0].kill()
    failed = 0
    for _ in range(6):
        _, _, terminations, truncations, infos = env.step(np.zeros((2, 2), np.int64))
        assert not terminations.any()
        if "failure" in infos:
            assert sorted(map(str, infos["failure"]))[0] == "None"
            assert truncations.all(axis=1).tolist() == [f is not None for f in infos["failure"]]
            failed += 1
    assert failed == 1
    assert len(simulations()) == 2


def test_close_leaves_no_process_behind(make: Make) -> None:
    before = resources()
    env = make(agents=2)
    env.reset(seed=1)
    env.close()
    env.close()
    assert resources() == before
    with pytest.raises(errors.ClosedEnvironment):
        env.reset()


def test_the_vector_is_made_by_name() -> None:
    env = make_vec("cart_pole_v0", 2, api="parallel", carts=3, placement="local")
    try:
        observations, infos = env.reset(seed=1)
        assert observations.shape == (2, 3, 4)
        assert env.observation_space.contains(observations)
        assert infos["alive"].all()
    finally:
        env.close()
    with pytest.raises(errors.ParameterError, match="api='aec'"):
        make_vec("cart_pole_v0", 2, api="aec")  # type: ignore[call-overload]
