# SPDX-License-Identifier: GPL-2.0-only
"""A single file with a loop over vectors and a small network, in CleanRL's style."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics
from torch import nn
from torch.distributions import Categorical

import defiance_zoo

torch.set_num_threads(1)
NAME = "defiance_zoo:defiance_zoo/CartPole-v0"


def one() -> gymnasium.Env[Any, Any]:
    """Make an environment that records statistics."""
    return RecordEpisodeStatistics(gymnasium.make(NAME, transport="udp", duration="400ms"))


VECTORS: dict[str, Callable[[], Any]] = {
    "SyncVectorEnv": lambda: SyncVectorEnv([one, one]),
    "make_vec": lambda: gymnasium.wrappers.vector.RecordEpisodeStatistics(
        defiance_zoo.make_vec("cart_pole_v0", 2, transport="udp", duration="400ms")
    ),
}


@pytest.mark.parametrize("kind", VECTORS)
def test_policy_gradients_learn(kind: str) -> None:
    torch.manual_seed(1)
    envs = VECTORS[kind]()
    network = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
    before = [each.clone() for each in network.parameters()]
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    observations, _ = envs.reset(seed=1)
    returns = []
    for _ in range(3):
        log_probabilities, rewards = [], []
        for _ in range(32):
            chosen = Categorical(logits=network(torch.tensor(observations)))
            action = chosen.sample()
            log_probabilities.append(chosen.log_prob(action))
            observations, reward, _, _, infos = envs.step(action.numpy())
            rewards.append(torch.tensor(reward, dtype=torch.float32))
            if "episode" in infos:
                returns += infos["episode"]["r"][infos["_episode"]].tolist()
        to_come = torch.stack(rewards).flip(0).cumsum(0).flip(0)
        loss = -(torch.stack(log_probabilities) * (to_come - to_come.mean())).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    envs.close()
    assert len(returns) >= 4
    assert all(1 <= each <= 20 for each in returns)
    after = list(network.parameters())
    assert all(np.any((a != b).numpy()) for a, b in zip(before, after, strict=True))
