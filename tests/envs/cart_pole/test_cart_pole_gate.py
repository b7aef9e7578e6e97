# SPDX-License-Identifier: GPL-2.0-only
"""The gate of cart_pole_v0: without a network it equals Gymnasium's CartPole-v1."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from defiance_zoo.envs import cart_pole_v0


@pytest.mark.timeout(300)
@pytest.mark.parametrize("episodes", [50, pytest.param(1000, marks=pytest.mark.thorough)])
def test_random_episodes_equal_gymnasium(episodes: int) -> None:
    """Observations, rewards and ends are equal at every step."""
    env = cart_pole_v0.raw_env(placement="local", link="local")
    twin = gymnasium.make("CartPole-v1").unwrapped
    random = np.random.default_rng(20)
    steps = 0
    for _ in range(episodes):
        state = random.uniform(-0.05, 0.05, 4)
        env.reset(options={"initial_state": state.tolist()})
        twin.reset()
        twin.state = state.copy()
        twin.steps_beyond_terminated = None
        observation, *_ = env.last()
        assert observation.tobytes() == state.astype(np.float32).tobytes()
        terminated = False
        while not terminated:
            action = int(random.integers(2))
            expected, expected_reward, terminated, _, _ = twin.step(action)
            env.step(action)
            observation, reward, ended, truncated, _ = env.last()
            assert observation.tobytes() == expected.tobytes()
            assert (reward, ended, truncated) == (expected_reward, terminated, False)
            steps += 1
        env.step(None)
        assert env.agents == []
    env.close()
    assert steps > 10 * episodes  # random episodes last about 22 steps


@pytest.mark.parametrize("episodes", [20, pytest.param(100, marks=pytest.mark.thorough)])
def test_balanced_episodes_equal_gymnasium_bit_for_bit(episodes: int) -> None:
    """A rounding difference of one bit becomes visible after some 200 steps."""
    from defiance_zoo.envs.cart_pole.baselines import state_feedback_policy

    env = cart_pole_v0.raw_env(placement="local", link="local")
    twin = gymnasium.make("CartPole-v1").unwrapped
    act = state_feedback_policy(env.action_space("agent_0"))
    random = np.random.default_rng(21)
    for _ in range(episodes):
        state = random.uniform(-0.05, 0.05, 4)
        env.reset(options={"initial_state": state.tolist()})
        twin.reset()
        twin.state = state.copy()
        expected, terminated = state.astype(np.float32), False
        for _ in range(500):
            observation, *_ = env.last()
            assert observation.tobytes() == expected.tobytes()
            action = act(observation)
            expected, _, terminated, _, _ = twin.step(action)
            assert not terminated
            env.step(action)
        observation, reward, ended, truncated, _ = env.last()
        assert observation.tobytes() == expected.tobytes()
        assert (reward, ended, truncated) == (1.0, False, True)
    env.close()


def test_an_episode_is_truncated_after_500_steps_like_gymnasiums() -> None:
    """A policy that balances without end: 500 rewards of 1, then truncation."""
    from defiance_zoo.envs.cart_pole.baselines import pole_policy

    env = cart_pole_v0.raw_env(placement="remote")
    act = pole_policy(env.action_space("agent_0"))
    env.reset(seed=1)
    total, decisions = 0.0, 0
    for _agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        total += reward
        if terminated or truncated:
            assert truncated
            assert info["sim_time_ns"] == 10 * 10**9
            env.step(None)
        else:
            decisions += 1
            env.step(act(observation))
    assert (total, decisions) == (500.0, 500)
    env.close()


def test_initial_states_are_distributed_like_gymnasiums() -> None:
    """Uniform within 0.05, each coordinate independently."""
    env = cart_pole_v0.raw_env()
    starts = []
    for seed in range(200):
        env.reset(seed=seed)
        starts.append(env.observe("agent_0"))
    env.close()
    values = np.array(starts)
    assert np.abs(values).max() <= 0.05
    # 200 uniform draws: the mean's standard deviation is 0.002, so these bounds are 5 of them.
    assert (np.abs(values.mean(0)) < 0.0102).all()
    assert (values.std(0) > 0.02).all()
    assert (np.abs(np.corrcoef(values.T) - np.eye(4)) < 0.35).all()
