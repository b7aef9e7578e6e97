# SPDX-License-Identifier: GPL-2.0-only
"""The single agent of a scenario as a Gymnasium environment."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from conftest import GYM_STYLE, TRIAL
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

from defiance_zoo import Choice, Uniform
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.errors import (
    InvalidAction,
    NobodyDecided,
    NotSingleAgent,
    ParameterError,
    ResetNeeded,
)
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

SPEC = EnvironmentSpec("trial_v0", TRIAL)
NAME = "defiance_zoo/CartPole-v0"


@pytest.mark.parametrize("placement", ["local", "remote", "central"])
@pytest.mark.parametrize("transport", ["simple", "udp", "tcp"])
# Velocities are unbounded, as in Gymnasium's CartPole-v1.
@pytest.mark.filterwarnings("ignore:.*A Box observation space m.*imum value is -?infinity")
# Rendering needs a mode; test_render_returns_a_picture_in_each_mode covers each mode.
@pytest.mark.filterwarnings("ignore:.*environment.*spec.*render")
def test_gymnasiums_checker_passes(placement: str, transport: str) -> None:
    env = gymnasium.make("defiance_zoo/CartPole-v0", placement=placement, transport=transport)
    check_env(env.unwrapped, skip_close_check=True)
    env.close()


def test_an_episode_ends_as_the_simulation_reports() -> None:
    env = GymnasiumEnv(SPEC, duration="30ms", size=2)
    observation, info = env.reset(seed=1)
    assert observation.tolist() == [0, 0]
    assert info["sim_time_ns"] == 0
    reported = [env.step(action) for action in (1, 2, 3)]
    assert [
        (reward, terminated, truncated) for _, reward, terminated, truncated, _ in reported
    ] == [
        (1, False, False),
        (2, False, False),
        (3, False, True),
    ]
    observation, *_, info = reported[-1]
    assert observation.tolist() == [3, 3]
    assert (info["sim_time_ns"], info["count"], info["last_action"]) == (30_000_000, 3, "3")
    with pytest.raises(ResetNeeded):
        env.step(0)
    env.reset()
    env.close()
    env.close()


def test_the_scenario_determines_termination() -> None:
    env = GymnasiumEnv(EnvironmentSpec("gym_style_v0", GYM_STYLE))
    env.reset()
    env.step(3)
    observation, reward, terminated, truncated, _ = env.step(3)
    assert (observation.tolist(), reward, terminated, truncated) == ([2, 6, 7], 6, True, False)
    env.close()


def test_max_cycles_truncates() -> None:
    env = GymnasiumEnv(SPEC, duration="1s", max_cycles=2)
    env.reset()
    assert env.step(0)[2:4] == (False, False)
    _, reward, terminated, truncated, _ = env.step(0)
    assert (reward, terminated, truncated) == (2, False, True)
    env.close()


def test_an_episode_without_a_decision_ends_in_its_first_step() -> None:
    env = GymnasiumEnv(SPEC, scenario_case="mute")
    with pytest.warns(NobodyDecided):
        env.reset()
    assert env.step(0)[2:4] == (False, True)
    env.close()


def test_invalid_calls_raise() -> None:
    with pytest.raises(NotSingleAgent, match="'agent_0', 'agent_1'"):
        GymnasiumEnv(SPEC, agents=2)
    env = GymnasiumEnv(SPEC)
    with pytest.raises(ResetNeeded):
        env.step(0)
    env.reset()
    with pytest.raises(InvalidAction):
        env.step(99)
    env.step(7)
    env.close()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_are_new_environments_with_equal_arguments(duplicate: Callable[[Any], Any]) -> None:
    """Also of an environment whose baselines are functions that cannot be pickled."""
    spec = EnvironmentSpec("trial_v0", TRIAL, baselines={"idle": lambda _space: lambda _seen: 0})
    env = GymnasiumEnv(spec, size=3, duration="1s", max_cycles=2)
    fresh = duplicate(env)
    env.reset(seed=4)
    env.step(1)
    running = duplicate(env)
    env.close()
    for each in (fresh, running, duplicate(running)):
        observation, _ = each.reset(seed=4)
        assert observation.shape == (3,)
        assert [each.step(1)[3] for _ in range(2)] == [False, True]
        each.close()


def test_copies_of_gymnasium_environments_keep_their_name() -> None:
    env = gymnasium.make("defiance_zoo/CartPole-v0", transport="udp")
    twin = pickle.loads(pickle.dumps(env))
    assert twin.spec.id == twin.unwrapped.spec.id == "defiance_zoo/CartPole-v0"
    env.close()
    observation, _ = twin.reset(seed=1)
    assert twin.observation_space.contains(observation)
    twin.close()


@pytest.mark.parametrize("vector", [False, True])
def test_a_specification_with_distributions_survives_json(vector: bool) -> None:
    delays: dict[str, Any] = {"delay": Choice(["1ms", "5ms"]), "loss": Uniform(0.1, 0.2)}
    if vector:
        env: Any = gymnasium.make_vec(NAME, 2, transport="udp", **delays)
    else:
        env = gymnasium.make(NAME, transport="udp", **delays)
    text = env.spec.to_json()
    env.close()
    again = EnvSpec.from_json(text)
    assert again.kwargs["loss"] == {"uniform": [0.1, 0.2]}
    assert copy.deepcopy(env.spec) == pickle.loads(pickle.dumps(env.spec)) == env.spec
    if not vector:
        made = gymnasium.make(again)
        assert made.spec is not None
        assert made.spec.to_json() == text
        made.reset(seed=1)
        assert sorted(made.unwrapped.drawn_parameters) == ["delay", "loss"]  # type: ignore[attr-defined]
        made.close()
    assert gymnasium.pprint_registry(disable_print=True)


def test_unknown_arguments_are_unexpected_keyword_arguments() -> None:
    """TorchRL tries `frameskip`, and continues without it after such a TypeError."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'") as caught:
        gymnasium.make("defiance_zoo/CartPole-v0", frameskip=1)
    assert isinstance(caught.value, ParameterError)
    # No name is near: the sentence still ends before the list of names.
    assert "has no such parameter; it has\n  access, " in str(caught.value)


def test_render_returns_a_picture_in_each_mode() -> None:
    env = GymnasiumEnv(lookup("cart_pole_v0"), render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().shape == (160, 600, 3)
    env.close()
    env = GymnasiumEnv(lookup("cart_pole_v0"), render_mode="ansi")
    env.reset(seed=1)
    assert "agent_0" in env.render()
    env.close()


def test_gymnasiums_vector_environments_work() -> None:
    """Synchronous ones, and ones in subprocesses."""
    for kind in ("sync", "async"):
        envs = gymnasium.make_vec("defiance_zoo/CartPole-v0", 2, kind, {}, duration="200ms")
        observations, _ = envs.reset(seed=3)
        assert observations.shape == (2, 4)
        for _ in range(15):
            observations, *_ = envs.step(np.array([0, 1]))
        envs.close()
