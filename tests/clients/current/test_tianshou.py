# SPDX-License-Identifier: GPL-2.0-only
"""Tianshou: its collector, with agents in turns and with one agent."""

from __future__ import annotations

from functools import partial

import gymnasium
import pytest
from tianshou.algorithm import (
    MARLRandomDiscreteMaskedOffPolicyAlgorithm,
    MultiAgentOffPolicyAlgorithm,
)
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv, SubprocVectorEnv

import defiance_zoo

DEPLOYMENT = {"duration": "200ms", "terminate_when_fallen": False}
NAME = "defiance_zoo:defiance_zoo/CartPole-v0"


def test_agents_decide_in_turns() -> None:
    def make() -> PettingZooEnv:
        return PettingZooEnv(defiance_zoo.make("cart_pole_v0", carts=2, **DEPLOYMENT))

    env = make()
    chance = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space) for _ in range(2)]
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=chance, env=env)
    vector = DummyVectorEnv([make, make])
    collector = Collector(algorithm, vector, VectorReplayBuffer(200, 2))
    found = collector.collect(n_episode=2, reset_before_collect=True)
    vector.close()
    env.close()
    assert (found.n_collected_episodes, found.n_collected_steps) == (2, 40)
    assert (found.returns == 10).all()


@pytest.mark.parametrize("kind", [DummyVectorEnv, SubprocVectorEnv])
def test_a_single_agent_learns(kind: type) -> None:
    vector = kind([partial(gymnasium.make, NAME, **DEPLOYMENT)] * 2)
    observations, _ = vector.reset(seed=1)
    assert observations.shape == (2, 4)
    for _ in range(10):
        _, rewards, terminated, truncated, _ = vector.step([0, 1])
    vector.close()
    assert rewards.tolist() == [1, 1]
    assert (terminated.any(), truncated.all()) == (False, True)
