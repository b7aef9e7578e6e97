# SPDX-License-Identifier: GPL-2.0-only
"""cart_pole_v0 with `restart_when_fallen`: fallen carts are put upright again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cart_pole_reference import INTERVAL_NS, ReferenceCart

from defiance_zoo.envs import cart_pole_v0
from defiance_zoo.envs.cart_pole.baselines import pole_policy
from defiance_zoo.errors import ParameterError


def has_fallen(state: np.ndarray) -> bool:
    return bool(abs(state[0]) > 2.4 or abs(state[2]) > np.deg2rad(12))


def test_trials_follow_one_another() -> None:
    """Each trial equals the reference; the sample of a fall is the next trial's first."""
    env = cart_pole_v0.parallel_env(restart_when_fallen=True, duration="4s")
    observations, infos = env.reset(seed=1)
    assert infos["agent_0"]["falls"] == 0
    rng = np.random.default_rng(1)
    total, falls = 0.0, 0
    cart, since = ReferenceCart(observations["agent_0"].tolist()), 0
    for sample in range(1, 200):
        action = int(rng.integers(2))
        cart.push((sample - 1 - since) * INTERVAL_NS, action)
        expected = cart.advance((sample - since) * INTERVAL_NS)
        observations, rewards, terminations, truncations, infos = env.step({"agent_0": action})
        state, reward = observations["agent_0"], rewards["agent_0"]
        assert infos["agent_0"]["sim_time_ns"] == sample * INTERVAL_NS
        if has_fallen(expected):
            falls += 1
            assert (np.abs(state) <= 0.05).all()
            cart, since = ReferenceCart(state.tolist()), sample
        else:
            assert np.allclose(state, expected, rtol=0, atol=2e-5)
        assert reward == (since != sample)
        assert infos["agent_0"]["falls"] == falls
        assert not terminations["agent_0"] | truncations["agent_0"]
        total += reward
    assert falls > 3
    assert total == 199 - falls
    env.close()


def test_a_policy_that_balances_is_not_affected() -> None:
    returns = []
    for restart in (False, True):
        env = cart_pole_v0.parallel_env(carts=2, restart_when_fallen=restart)
        act = pole_policy(env.action_space("agent_0"))
        observations, _ = env.reset(seed=2)
        total = 0.0
        while env.agents:
            actions = {agent: act(observations[agent]) for agent in env.agents}
            observations, rewards, *_ = env.step(actions)
            total += sum(rewards.values())
        returns.append(total)
        env.close()
    assert returns == [1000, 1000]


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_a_central_agent_is_informed_of_each_carts_fall(transport: str) -> None:
    """The agent balances the first cart, and pushes the other one to the left only."""
    env = cart_pole_v0.raw_env(
        carts=2,
        placement="central",
        transport=transport,
        delay="1ms",
        restart_when_fallen=True,
        duration="3s",
    )
    env.reset(seed=1)
    act = pole_policy(env.action_space("agent_0"))
    for _ in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        ended = terminated or truncated
        push = None if ended else act(observation)
        env.step(None if ended else np.array([push[0], 0]))
    assert truncated
    assert info["falls"][0] == 0
    assert info["falls"][1] > 5
    env.close()


def test_restart_and_end_at_a_fall_exclude_each_other() -> None:
    arguments: dict[str, Any] = {"restart_when_fallen": True, "terminate_when_fallen": False}
    with pytest.raises(ParameterError, match="needs terminate_when_fallen=true"):
        cart_pole_v0.raw_env(**arguments).reset()
