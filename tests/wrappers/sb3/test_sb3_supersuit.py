# SPDX-License-Identifier: GPL-2.0-only
"""SuperSuit's wrappers and vectors over the environments."""

from __future__ import annotations

import numpy as np
import pytest
import supersuit

from defiance_zoo.environments import lookup


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
