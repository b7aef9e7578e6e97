# SPDX-License-Identifier: GPL-2.0-only
"""TorchRL, whose own check compares what an environment says with its specifications."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import pytest
import torch
from torchrl.envs import GymEnv, GymWrapper, PettingZooWrapper, check_env_specs

import defiance_zoo

torch.set_num_threads(1)
NAME = "defiance_zoo:defiance_zoo/CartPole-v0"
DEPLOYMENT = {"transport": "udp", "delay": "5ms", "duration": "200ms"}

WAYS: dict[str, Callable[[], Any]] = {
    "GymEnv": lambda: GymEnv(NAME, **DEPLOYMENT),
    "GymWrapper": lambda: GymWrapper(gymnasium.make(NAME, **DEPLOYMENT)),
    "PettingZooWrapper, parallel": lambda: PettingZooWrapper(
        defiance_zoo.make("cart_pole_v0", api="parallel", carts=2, **DEPLOYMENT)
    ),
    "PettingZooWrapper, AEC": lambda: PettingZooWrapper(
        defiance_zoo.make("cart_pole_v0", carts=2, **DEPLOYMENT), use_mask=True
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_specifications_hold(way: str) -> None:
    env = WAYS[way]()
    check_env_specs(env, seed=1)
    env.close()


def test_a_rollout_ends_with_the_episode() -> None:
    env = GymEnv(NAME, duration="200ms", terminate_when_fallen=False)
    env.set_seed(1)
    played = env.rollout(100)
    env.close()
    assert played.shape == (10,)
    assert played["next", "reward"].sum() == 10
    assert bool(played["next", "truncated"][-1])
