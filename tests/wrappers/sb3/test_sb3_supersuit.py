# SPDX-License-Identifier: GPL-2.0-only
"""The SuperSuit route: its wrappers, its vectors, and SB3 on top of them."""

from __future__ import annotations

import numpy as np
import pytest
import supersuit
import torch
from stable_baselines3 import PPO

from defiance_zoo.environments import lookup
from defiance_zoo.wrappers.sb3.supersuit import make_supersuit_vec_env

torch.set_num_threads(1)  # more threads only wait for each other


def test_agents_share_a_policy() -> None:
    """Carts fall at different times; SuperSuit feeds zeros to fallen ones."""
    env = make_supersuit_vec_env("cart_pole_v0", seed=1, carts=3, transport="udp")
    assert env.num_envs == 3
    model = PPO("MlpPolicy", env, n_steps=32, batch_size=32, seed=1, device="cpu")
    model.learn(192)
    assert model.num_timesteps == 192
    env.close()


def test_seeds_determine_a_vector() -> None:
    reported = []
    for seed in (5, 5, 6):
        env = make_supersuit_vec_env("cart_pole_v0", seed=seed, carts=2)
        observations = [env.reset()]
        observations += [env.step(np.array([step % 2, 1]))[0] for step in range(30)]
        env.close()
        reported.append(np.array(observations))
    assert (reported[0] == reported[1]).all()
    assert (reported[0] != reported[2]).any()


def test_supersuit_wrappers_apply_to_the_environment() -> None:
    env = lookup("cart_pole_v0").parallel_env(carts=2)
    env = supersuit.frame_stack_v1(supersuit.black_death_v3(env), 3)
    observations, _ = env.reset(seed=1)
    assert observations["agent_0"].shape == (12,)
    while env.agents:
        observations, *_ = env.step(dict.fromkeys(env.agents, 1))
    env.close()


@pytest.mark.parametrize("processes", [0, 2])
def test_simulations_run_in_supersuit_vectors(processes: int) -> None:
    env = supersuit.black_death_v3(lookup("cart_pole_v0").parallel_env(carts=2))
    env = supersuit.pettingzoo_env_to_vec_env_v1(env)
    env = supersuit.concat_vec_envs_v1(env, 2, num_cpus=processes, base_class="gymnasium")
    observations, _ = env.reset(seed=1)
    assert observations.shape == (4, 4)
    for _ in range(20):
        observations, *_ = env.step(np.array([0, 1, 0, 1]))
    assert np.isfinite(observations).all()
    env.close()


def test_skipped_frames_are_drawn_from_the_seed_of_the_episode() -> None:
    """SuperSuit draws them from the environment's `np_random`."""
    times = []
    for seed in (1, 1, 2):
        env = supersuit.frame_skip_v0(lookup("cart_pole_v0").parallel_env(), (1, 3))
        env.reset(seed=seed)
        times.append([env.step({"agent_0": n % 2})[4]["agent_0"]["sim_time_ns"] for n in range(4)])
        env.close()
    assert times[0] == times[1] != times[2]


def test_a_snapshot_holds_the_random_numbers_of_wrappers() -> None:
    env = lookup("cart_pole_v0").parallel_env()
    env.reset(seed=1)
    env.np_random.random()
    snapshot = env.snapshot()
    drawn = env.np_random.random(3)
    env.restore(snapshot)
    branch = env.branch()
    assert (drawn == env.np_random.random(3)).all()
    assert (drawn == branch.np_random.random(3)).all()
    branch.close()
    env.close()
