# SPDX-License-Identifier: GPL-2.0-only
"""Stable-Baselines3: its checker, its algorithms, and the SuperSuit route."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import supersuit
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.testing.transcript import exact
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv
from defiance_zoo.wrappers.sb3 import SimulationVecEnv, make_shared_policy_vec_env, make_vec_env


@pytest.mark.parametrize("placement", ["local", "remote", "central"])
@pytest.mark.parametrize("transport", ["simple", "udp", "tcp"])
def test_sb3s_checker(placement: str, transport: str) -> None:
    env = GymnasiumEnv(lookup("cart_pole_v0"), placement=placement, transport=transport)
    check_env(env)
    env.close()


@pytest.mark.parametrize("algorithm", [PPO, DQN])
def test_algorithms_train(algorithm: Any) -> None:
    env = make_vec_env("cart_pole_v0", n_envs=2, seed=1, transport="udp")
    settings = {"n_steps": 32, "batch_size": 32} if algorithm is PPO else {"learning_starts": 20}
    model = algorithm("MlpPolicy", env, seed=1, device="cpu", **settings)
    model.learn(128)
    assert model.num_timesteps >= 128
    env.close()


def rollout(env: Any) -> np.ndarray:
    """Return the observations of 30 steps with the same actions."""
    observations = [env.reset()]
    for step in range(30):
        observations.append(env.step(np.full(env.num_envs, step % 2))[0])
    env.close()
    return np.array(observations)


def test_seeds_determine_a_vec_env() -> None:
    one, two, other = (rollout(make_vec_env("cart_pole_v0", n_envs=2, seed=s)) for s in (5, 5, 6))
    assert (one == two).all()
    assert (one != other).any()
    assert (one[:, 0] != one[:, 1]).any()  # the simulations of one vector differ


def test_a_vector_tells_what_sb3s_own_tells() -> None:
    """The same seeds and actions give the same as a loop over single environments, with ends."""
    arguments = {"transport": "udp", "delay": "10ms", "duration": 0.5}
    spec = lookup("cart_pole_v0")
    own = DummyVecEnv([lambda: GymnasiumEnv(spec, link="local", **arguments)] * 3)
    own.seed(5)
    ours = make_vec_env("cart_pole_v0", n_envs=3, seed=5, **arguments)
    assert (own.reset() == ours.reset()).all()
    ends = 0
    for step in range(60):
        actions = np.array([step % 2, 1, (step // 3) % 2])
        one, two = own.step(actions), ours.step(actions)
        for expected, got in zip(one[:3], two[:3], strict=True):
            assert (expected == got).all()
        for expected, got in zip(one[3], two[3], strict=True):
            got.pop("episode", None)  # of VecMonitor
            assert exact(got) == exact(expected)
        ends += int(one[2].sum())
    assert ends > 3
    own.close()
    ours.close()


def test_only_same_step_autoreset_is_taken() -> None:
    venv = lookup("cart_pole_v0").vector_env(2)
    with pytest.raises(ParameterError, match="SameStep"):
        SimulationVecEnv(venv)
    venv.close()


def test_simulations_have_neither_attributes_nor_methods() -> None:
    env = make_vec_env("cart_pole_v0", n_envs=2)
    assert env.get_attr("num_envs") == [2, 2]
    with pytest.raises(AttributeError, match="ns-3 processes"):
        env.set_attr("gravity", 1)
    with pytest.raises(AttributeError, match="ns-3 processes"):
        env.env_method("action_masks")
    assert env.env_is_wrapped(VecMonitor) == [False, False]
    env.close()


def test_agents_share_a_policy() -> None:
    """Carts fall at different times; SuperSuit feeds zeros to those that have."""
    env = make_shared_policy_vec_env("cart_pole_v0", seed=1, carts=3, transport="udp")
    assert env.num_envs == 3
    model = PPO("MlpPolicy", env, n_steps=32, batch_size=32, seed=1, device="cpu")
    model.learn(192)
    env.close()
    one, two = (
        rollout(make_shared_policy_vec_env("cart_pole_v0", seed=s, carts=2)) for s in (5, 5)
    )
    assert (one == two).all()


def test_supersuit_wrappers_apply() -> None:
    env = lookup("cart_pole_v0").parallel_env(carts=2)
    env = supersuit.frame_stack_v1(supersuit.black_death_v3(env), 3)
    observations, _ = env.reset(seed=1)
    assert observations["agent_0"].shape == (12,)
    while env.agents:
        observations, *_ = env.step(dict.fromkeys(env.agents, 1))
    env.close()


@pytest.mark.parametrize("processes", [0, 2])
def test_supersuit_vectors_of_simulations(processes: int) -> None:
    env = supersuit.black_death_v3(lookup("cart_pole_v0").parallel_env(carts=2))
    env = supersuit.pettingzoo_env_to_vec_env_v1(env)
    env = supersuit.concat_vec_envs_v1(env, 2, num_cpus=processes, base_class="gymnasium")
    observations, _ = env.reset(seed=1)
    assert observations.shape == (4, 4)
    for _ in range(20):
        observations, *_ = env.step(np.array([0, 1, 0, 1]))
    assert np.isfinite(observations).all()
    env.close()
