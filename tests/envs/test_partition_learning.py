# SPDX-License-Identifier: GPL-2.0-only
"""Libraries that heed masks take partition_v0: MaskablePPO and RLlib, which train on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from rllib_support import RAY_WARNINGS, SMALL
from sb3_contrib import MaskablePPO

from defiance_zoo.wrappers.rllib.config import rllib_config
from defiance_zoo.wrappers.sb3 import make_vec_env

pytestmark = RAY_WARNINGS
torch.set_num_threads(1)


@pytest.mark.parametrize("name", ["partition_v0", "partition_tendermint_v0"])
def test_maskable_ppo_trains(name: str) -> None:
    """The simulation aborts when a forbidden action is chosen."""
    env = make_vec_env(name, n_envs=2, seed=1, horizon=10)
    model = MaskablePPO("MultiInputPolicy", env, n_steps=32, batch_size=32, seed=1, device="cpu")
    model.learn(128)
    assert {episode["l"] for episode in model.ep_info_buffer} == {10}
    env.close()


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("local_ray")
@pytest.mark.parametrize("roles", [False, True])
def test_rllib_trains(roles: bool) -> None:
    """One policy, or one for each of three roles; `illegal_actions` is `refuse`, too."""
    config = rllib_config("PPO", "partition_v0", policies="individual", roles=roles, horizon=10)
    built = config.env_runners(num_env_runners=0).update_from_dict(SMALL["PPO"]).build_algo()
    try:
        result: dict[str, Any] = built.train()
    finally:
        built.stop()
    agents = {f"agent_{number}" for number in range(3 if roles else 1)}
    assert set(result["learners"]) - {"__all_modules__"} == agents
    returns = result["env_runners"]["agent_episode_returns_mean"]
    assert set(returns) == agents
    assert np.allclose(list(returns.values()), 0)  # nothing is violated
