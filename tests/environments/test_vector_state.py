# SPDX-License-Identifier: GPL-2.0-only
"""The states of vector environments are saved, and continue exactly."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from conftest import PROGRAMS, resources, simulations

from defiance_zoo import errors, make_vec
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.environments.testing import exact

TARGETS = EnvironmentSpec("targets_v0", Scenario("targets", PROGRAMS / "targets"))
TRIAL = EnvironmentSpec("trial_v0", Scenario("trial", PROGRAMS / "trial"))
MIXED = {"agents": 3, "uneven": True, "leaving": True}
LATE = {"agents": 3, "scenario_case": "late", "max_agents": 3}
Make = Callable[..., Any]


@pytest.fixture
def make() -> Iterator[Make]:
    """Make vector environments that are closed after the test."""
    made = []

    def make_one(spec: EnvironmentSpec, count: int = 2, *, shared: bool, **arguments: Any) -> Any:
        kind = spec.multi_agent_vector_env if shared else spec.vector_env
        made.append(kind(count, **{"resumable": True, **arguments}))
        return made[-1]

    yield make_one
    for env in made:
        env.close()


def play(env: Any, steps: int, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    shape = (env.num_envs, env.max_agents) if hasattr(env, "max_agents") else (env.num_envs,)
    return [exact(env.step(rng.integers(4, size=shape))) for _ in range(steps)]


@pytest.mark.long
@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
@pytest.mark.parametrize(
    ("spec", "shared", "arguments"),
    [(TARGETS, False, {}), (TARGETS, True, MIXED), (TRIAL, True, LATE), (TRIAL, False, {})],
)
def test_a_restored_vector_continues_exactly(
    make: Make, spec: EnvironmentSpec, mode: str, arguments: dict[str, Any], *, shared: bool
) -> None:
    """The state is saved after each number of steps of an episode, at its end and in the second."""
    one = make(spec, shared=shared, autoreset_mode=mode, **arguments)
    one.reset(seed=3)
    for number in range(14):
        state = pickle.dumps(one.state_dict())
        expected = play(one, 13, seed=number)
        other = make(spec, shared=shared, autoreset_mode=mode, **arguments)
        other.load_state_dict(pickle.loads(state))
        assert play(other, 13, seed=number) == expected
        assert pickle.dumps(other.state_dict()) == pickle.dumps(one.state_dict())
        other.close()
        one.load_state_dict(pickle.loads(state))
        play(one, 1, seed=number)


@pytest.mark.parametrize("shared", [False, True])
def test_spaces_continue_to_draw_as_in_the_saved_vector(make: Make, *, shared: bool) -> None:
    one, other = make(TRIAL, shared=shared), make(TRIAL, shared=shared)
    one.reset(seed=1)
    drawn = []
    state = pickle.dumps(one.state_dict())
    other.load_state_dict(pickle.loads(state))
    for env in (one, other):
        spaces = env.single_action_space, env.action_space, env.single_observation_space
        drawn.append(exact([each.sample() for each in (*spaces, env.observation_space)]))
    assert drawn[0] == drawn[1]


def test_options_of_the_running_episode_are_restored() -> None:
    arguments: dict[str, Any] = {"transport": "udp", "resumable": True}
    reported = []
    one = make_vec("cart_pole_v0", 2, **arguments)
    one.reset(seed=1, options={"delay": "30ms", "initial_state": [0, 0, 0.05, 0]})
    for _ in range(3):
        one.step(np.array([0, 1]))
    state = one.state_dict()
    for env in (one, make_vec("cart_pole_v0", 2, **arguments)):
        if env is not one:
            env.load_state_dict(state)
        reported.append([exact(env.step(np.array([1, 1]))) for _ in range(40)])
        env.close()
    assert reported[0] == reported[1]


def test_a_restore_that_replays_differently_raises(make: Make) -> None:
    env = make(TARGETS, shared=False)
    env.reset(seed=1)
    play(env, 4, seed=1)
    state = env.state_dict()
    other = make(TARGETS, shared=False, interval="11ms")
    with pytest.raises(errors.ReplayDiverged, match="4 decisions, simulation 0 is at 44000000 ns"):
        other.load_state_dict(state)
    with pytest.raises(errors.ResetNeeded):
        play(other, 1, seed=1)
    other = make(TARGETS, shared=False, duration="25ms")
    with pytest.raises(errors.ReplayDiverged, match="ended before"):
        other.load_state_dict(state)
    assert other.reset(seed=1)[0].shape == (2, 2)
    seeds = [{**each, "rng": (5, 1)} for each in state["simulations"]]
    with pytest.raises(errors.ReplayDiverged, match="had observed"):
        env.load_state_dict({**state, "simulations": seeds})


def test_a_state_of_another_vector_is_refused(make: Make) -> None:
    env = make(TARGETS, shared=True, agents=2)
    with pytest.raises(errors.ParameterError, match="first reset"):
        env.state_dict()
    env.reset(seed=1)
    state = env.state_dict()
    env.send(np.zeros((2, 2), np.int64))
    with pytest.raises(errors.ParameterError, match="between steps"):
        env.state_dict()
    with pytest.raises(errors.ParameterError, match="2 simulations, but this environment has 3"):
        make(TARGETS, 3, shared=True, agents=2).load_state_dict(state)
    with pytest.raises(errors.ParameterError, match="0 simulations, but this environment has 2"):
        env.load_state_dict({})
    with pytest.raises(errors.ParameterError, match="2 agents, not 1"):
        make(TARGETS, shared=True, agents=1).load_state_dict(state)
    plain = make(TARGETS, shared=False, resumable=False)
    plain.reset(seed=1)
    with pytest.raises(errors.ParameterError, match="resumable=True"):
        plain.state_dict()


@pytest.mark.parametrize("shared", [False, True])
def test_a_state_with_other_agents_does_not_spoil_later_episodes(
    make: Make, *, shared: bool
) -> None:
    env = make(TARGETS, shared=shared)
    env.reset(seed=1)
    state = {**env.state_dict(), "possible_agents": ["stranger"]}
    with pytest.raises((errors.NotSingleAgent, errors.ParameterError), match="joined"):
        env.load_state_dict(state)
    env.reset(seed=1)
    assert play(env, 2, seed=1)


def test_a_simulation_lost_during_restore_leaves_nothing_behind(make: Make) -> None:
    before = resources()
    env = make(TARGETS, shared=False, restart_on_failure=True)
    env.reset(seed=1)
    simulations()[0].kill()
    play(env, 2, seed=1)
    assert env.failures == 1
    state = env.state_dict()
    other = make(TARGETS, shared=False, restart_on_failure=True)
    other.load_state_dict(state)
    assert other.failures == 1
    assert play(other, 15, seed=2) == play(env, 15, seed=2)
    env.close()
    other.close()
    assert resources() == before
