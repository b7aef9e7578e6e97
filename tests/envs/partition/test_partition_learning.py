# SPDX-License-Identifier: GPL-2.0-only
"""Libraries that respect masks train on partition_v0: MaskablePPO and RLlib."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from rllib_support import RAY_WARNINGS, SMALL
from sb3_contrib import MaskablePPO

from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.rewards import NegVisits
from defiance_zoo.protocols.rewards.rllib import RewardedRLlibEnv
from defiance_zoo.wrappers.rllib.config import rllib_config
from defiance_zoo.wrappers.sb3 import make_vec_env

pytestmark = RAY_WARNINGS
torch.set_num_threads(1)


@pytest.mark.parametrize("name", ["partition_v0", "partition_tendermint_v0"])
def test_maskable_ppo_trains(name: str) -> None:
    """The simulation aborts at a forbidden action."""
    env = make_vec_env(name, n_envs=2, seed=1, horizon=10)
    model = MaskablePPO("MultiInputPolicy", env, n_steps=32, batch_size=32, seed=1, device="cpu")
    model.learn(128)
    assert {episode["l"] for episode in model.ep_info_buffer} == {10}
    env.close()


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("local_ray")
@pytest.mark.parametrize(("roles", "bonus"), [(False, True), (True, False)])
def test_rllib_trains(roles: bool, bonus: bool) -> None:
    """One policy with a bonus, or one for each of three roles; forbidden actions are refused."""
    config = rllib_config("PPO", "partition_v0", policies="individual", roles=roles, horizon=10)
    if bonus:
        rewarded = {**config.env_config, "bonuses": [NegVisits()]}
        config.environment(RewardedRLlibEnv, env_config=rewarded)
    built = config.env_runners(num_env_runners=0).update_from_dict(SMALL["PPO"]).build_algo()
    try:
        result: dict[str, Any] = built.train()
    finally:
        built.stop()
    agents = {f"agent_{number}" for number in range(3 if roles else 1)}
    assert set(result["learners"]) - {"__all_modules__"} == agents
    returns = result["env_runners"]["agent_episode_returns_mean"]
    assert set(returns) == agents
    if bonus:
        assert max(returns.values()) <= -10  # each of ten steps reached a new or a known state
    else:
        assert np.allclose(list(returns.values()), 0)  # nothing is violated


def test_rllib_is_rewarded_for_the_states_that_steps_reach() -> None:
    config = {"name": "partition_v0", "horizon": 4, "bonuses": [NegVisits()], "keep_reward": False}
    env = RewardedRLlibEnv(config)
    totals = []
    for _ in range(2):
        env.reset(seed=1)
        total, over = 0.0, False
        while not over:
            _, rewards, terminateds, truncateds, _ = env.step({"agent_0": 0})
            total += rewards["agent_0"]
            over = terminateds["__all__"] or truncateds["__all__"]
        totals.append(total)
    env.close()
    assert totals[0] <= -4
    assert totals[1] <= totals[0] - 4  # the second episode equals the first one


def test_rllib_environments_without_a_bonus_are_refused() -> None:
    with pytest.raises(ParameterError, match="at least one bonus"):
        RewardedRLlibEnv({"name": "partition_v0"})
