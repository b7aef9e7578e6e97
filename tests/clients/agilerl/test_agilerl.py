# SPDX-License-Identifier: GPL-2.0-only
"""AgileRL, whose vector environments run in separate processes."""

from __future__ import annotations

import functools

import numpy as np
import torch
from agilerl.algorithms import IPPO
from agilerl.training.train_multi_agent_on_policy import train_multi_agent_on_policy
from agilerl.vector.pz_async_vec_env import AsyncPettingZooVecEnv

import defiance_zoo

torch.set_num_threads(1)
# Agents end together: AgileRL gives NaN for agents that ended earlier; IPPO rejects NaN.
DEPLOYMENT = {"carts": 2, "duration": "200ms", "terminate_when_fallen": False}
MAKE = functools.partial(defiance_zoo.make, "cart_pole_v0", api="parallel", **DEPLOYMENT)


def test_independent_ppo_learns() -> None:
    env = AsyncPettingZooVecEnv([MAKE, MAKE])
    agents = list(env.agents)
    learner = IPPO(
        [env.single_observation_space(agent) for agent in agents],
        [env.single_action_space(agent) for agent in agents],
        agent_ids=agents,
        batch_size=16,
        learn_step=32,
    )
    observations, _ = env.reset(seed=1)
    assert {agent: each.shape for agent, each in observations.items()} == {
        "agent_0": (2, 4),
        "agent_1": (2, 4),
    }
    actions, *_ = learner.get_action(observations)
    _, rewards, *_ = env.step(actions)
    assert np.array_equal(rewards["agent_0"], [1, 1])
    before = [each.detach().clone() for each in learner.actors.parameters()]
    (trained,), fitnesses = train_multi_agent_on_policy(
        env, "cart_pole_v0", "IPPO", [learner], max_steps=64, evo_steps=64, verbose=False
    )
    env.close()
    after = list(trained.actors.parameters())
    assert any(not torch.equal(a, b) for a, b in zip(before, after, strict=True))
    assert np.isfinite(fitnesses).all()
