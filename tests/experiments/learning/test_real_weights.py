# SPDX-License-Identifier: GPL-2.0-only
"""Weights of PyTorch, SB3 and RLlib policies: their size on the wire, and their restoration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from policies import MS, SPEC
from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModule, MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from stable_baselines3 import PPO

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.learning import (
    Compressed,
    Delta,
    Full,
    Half,
    PolicyDelivery,
    get_weights,
    set_weights,
)
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv
from defiance_zoo.wrappers.rllib import RLlibEnv

OBSERVATIONS = gymnasium.spaces.Box(-1, 1, (4,), np.float32)
ACTIONS = gymnasium.spaces.Discrete(2)
torch.set_num_threads(1)


class Trivial(gymnasium.Env[Any, Any]):
    observation_space, action_space = OBSERVATIONS, ACTIONS

    def reset(self, **_: Any) -> Any:
        return np.zeros(4, np.float32), {}


def torch_module(seed: int) -> Any:
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8))


def sb3_model(seed: int) -> Any:
    return PPO("MlpPolicy", Trivial(), seed=seed, device="cpu")


def module_spec() -> Any:
    return RLModuleSpec(
        module_class=DefaultPPOTorchRLModule,
        observation_space=OBSERVATIONS,
        action_space=ACTIONS,
        model_config=DefaultModelConfig(fcnet_hiddens=[16, 16]),
    )


def rl_module(seed: int) -> Any:
    torch.manual_seed(seed)
    return module_spec().build()


def multi_rl_module(seed: int) -> Any:
    torch.manual_seed(seed)
    return MultiRLModuleSpec(
        multi_rl_module_class=MultiRLModule,
        rl_module_specs={"agent_0": module_spec(), "agent_1": module_spec()},
    ).build()


MODELS: dict[str, Callable[[int], Any]] = {
    "torch": torch_module,
    "sb3": sb3_model,
    "rllib": rl_module,
    "rllib_multi": multi_rl_module,
}


def equal(one: Any, other: Any) -> bool:
    first, second = get_weights(one), get_weights(other)
    return first.keys() == second.keys() and all(
        np.array_equal(first[name], second[name]) for name in first
    )


@pytest.mark.parametrize("kind", MODELS)
def test_weights_are_read_and_written(kind: str) -> None:
    source, target = MODELS[kind](1), MODELS[kind](2)
    assert not equal(source, target)
    weights = get_weights(source)
    assert all(array.dtype.kind in "fi" for array in weights.values())
    data = Full().encode(weights)
    assert len(data) > sum(array.nbytes for array in weights.values()) > 0
    set_weights(target, Full().decode(data))
    assert equal(source, target)
    next(iter(weights.values()))[...] = 7  # a copy
    assert equal(source, target)


def test_a_policy_acts_by_its_restored_weights() -> None:
    source, target = sb3_model(1), sb3_model(2)
    views = np.random.default_rng(1).uniform(-1, 1, (64, 4)).astype(np.float32)
    wanted = source.predict(views, deterministic=True)[0]
    assert not np.array_equal(target.predict(views, deterministic=True)[0], wanted)
    set_weights(target, get_weights(source))
    assert np.array_equal(target.predict(views, deterministic=True)[0], wanted)


def test_encoding_options_make_updates_smaller() -> None:
    weights = get_weights(sb3_model(1))
    changed = {name: array + np.float32(1e-4) for name, array in weights.items()}
    full = len(Full().encode(changed))
    half = len(Half().encode(changed))
    delta = len(Delta().encode(changed, weights))
    assert len(Compressed().encode(changed)) < full
    assert full / 2.2 < half < full / 1.8
    assert delta < half / 2


@pytest.mark.parametrize("other", ["torch", None])
def test_weights_of_another_model_are_refused(other: str | None) -> None:
    weights = get_weights(torch_module(1))
    if other:
        with pytest.raises(ParameterError, match="another model"):
            set_weights(sb3_model(1), weights)
    weights["0.weight"] = np.zeros((2, 2), np.float32)
    with pytest.raises(ParameterError, match="have shape"):
        set_weights(torch_module(1), weights)
    with pytest.raises(ParameterError, match="has no weights"):
        get_weights(object())


def test_an_sb3_policy_is_updated_over_the_network() -> None:
    """The agent's copy on its node changes when the update arrives, not before."""
    env = GymnasiumEnv(SPEC, agents=1, duration="1s", link="local")
    env.reset(seed=1)
    trainer, acting = sb3_model(1), sb3_model(1)
    delivery = PolicyDelivery(
        env,
        get_weights(trainer),
        ["agent_0"],
        on_arrival=lambda agent, weights: set_weights(acting, weights),
    )
    set_weights(trainer, get_weights(sb3_model(2)))
    delivery.publish(get_weights(trainer))
    (update,) = env.transfers.values()
    assert update.size_bytes == len(Full().encode(get_weights(trainer)))
    seen = {}
    ended = False
    while not ended:
        delivery.version_of("agent_0")
        seen[env.sim_time_ns] = equal(trainer, acting)
        *_, ended, _ = env.step(0)
    finished = env.transfers[update.number].finished_ns
    assert finished is not None
    assert seen == {time_ns: time_ns >= finished for time_ns in seen}
    assert 0.3 < finished / 1e9 < 0.5  # about 40,000 bytes at 1 Mbit/s
    assert 10 * MS in seen
    env.close()


def test_rllib_environments_support_transfers() -> None:
    env = RLlibEnv({"name": "cart_pole_v0", "link": "local"})
    env.reset(seed=1)
    order = env.transfer("server_0", "agent_0", 100)
    env.step({"agent_0": 0})
    assert env.transfers[order.number].reason == (
        "there is no agent or training server 'server_0', only agent_0"
    )
    env.close()
