# SPDX-License-Identifier: GPL-2.0-only
"""SB3's algorithms by name, and the conversion of their hyperparameters."""

from __future__ import annotations

import importlib.util
import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Dict, Space, flatdim
from stable_baselines3.common.noise import NormalActionNoise
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.preprocessing import is_image_space

from defiance_zoo.bridge.system.imports import is_installed
from defiance_zoo.errors import NoActionNoiseWarning, ParameterError
from defiance_zoo.experiments.libraries.library import require_hyperparameters, require_known
from defiance_zoo.experiments.libraries.sb3 import ALGORITHMS, SB3
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.training.hyperparameters import (
    linear_schedule,
    read_value,
    require_number,
)

_EXPLORING_BY_NOISE = ("DDPG", "TD3")
_SET_BY_SB3 = {"action_space", "lr_schedule", "observation_space"}
"""Arguments of policies that are no keys of `policy_kwargs`."""


def algorithm(config: RunConfig) -> Any:
    """Return the class of a run's algorithm."""
    name = config.algorithm
    require_known(f"algorithm of {config.library}", name, ALGORITHMS)
    _refuse_other_gym()
    found = getattr(importlib.import_module(ALGORITHMS[name]), name)
    known = inspect.signature(found).parameters
    require_hyperparameters(name, config.hyperparameters, known, SB3.reserved)
    return found


def _refuse_other_gym() -> None:
    """Refuse a file of the user that SB3 takes for OpenAI's package, whose version it reads."""
    found = importlib.util.find_spec("gym")
    if found is not None and not is_installed("gym"):
        place = found.origin or next(iter(found.submodule_search_locations or ()))
        raise ParameterError(f"{place} has the name of a package that SB3 looks for: rename it")


def hyperparameters(config: RunConfig, actions: Space[Any] | None = None) -> dict[str, Any]:
    """Return the run's hyperparameters with the types that SB3 needs."""
    chosen, values = algorithm(config), {"device": "cpu", **config.hyperparameters}
    noise = values.pop("action_noise", None)
    if entropy_schedule(config) is not None:
        values["ent_coef"] = 0.0  # the trainer sets it before each update
    for name, value in values.items():
        values[name] = read_value(name, value, chosen)
    if log_std_schedule(config) is not None:
        kept = {k: v for k, v in values["policy_kwargs"].items() if k != "log_std_init"}
        values["policy_kwargs"] = kept  # the trainer sets it before each rollout
    if isinstance(values.get("policy_kwargs"), Mapping):
        values["policy_kwargs"] = _policy_arguments(config, chosen, values)
    if noise is not None:
        values["action_noise"] = _action_noise(noise, actions)
    return values


def entropy_schedule(config: RunConfig) -> Callable[[float], float] | None:
    """Return the schedule of the entropy coefficient, for which SB3 takes only a number."""
    value = config.hyperparameters.get("ent_coef")
    if not isinstance(value, Mapping):
        return None
    if issubclass(algorithm(config), OffPolicyAlgorithm):
        raise ParameterError(
            f"ent_coef={value!r}: {config.algorithm} has no schedule for it; ent_coef: auto adapts "
            "it"
        )
    return linear_schedule("ent_coef", value)


def log_std_schedule(config: RunConfig) -> Callable[[float], float] | None:
    """Return the schedule of the logarithm of the noise's deviation; None: it is learned."""
    arguments = config.hyperparameters.get("policy_kwargs")
    value = arguments.get("log_std_init") if isinstance(arguments, Mapping) else None
    if not isinstance(arguments, Mapping) or not isinstance(value, Mapping):
        return None
    if config.algorithm not in ("A2C", "PPO", "TRPO") or arguments.get("use_sde"):
        raise ParameterError(
            f"policy_kwargs.log_std_init={value!r}: only A2C, PPO and TRPO without use_sde have "
            "a schedule for it"
        )
    return linear_schedule("policy_kwargs.log_std_init", value)


def warn_without_noise(config: RunConfig) -> None:
    """Warn of an algorithm that explores only by `action_noise`, if the run does not set it."""
    if config.algorithm in _EXPLORING_BY_NOISE and "action_noise" not in config.hyperparameters:
        warnings.warn(
            f"{config.algorithm} does not explore without action_noise: set the hyperparameter "
            "action_noise: {normal: 0.1}, or action_noise: null for training without noise",
            NoActionNoiseWarning,
            stacklevel=2,
        )


def _policy_arguments(config: RunConfig, chosen: Any, values: dict[str, Any]) -> dict[str, Any]:
    policy = values.get("policy")
    if not isinstance(policy, type):
        policy = chosen.policy_aliases[policy_name(config.algorithm)]
    known = inspect.signature(policy).parameters
    free = any(each.kind is each.VAR_KEYWORD for each in known.values())
    read = {}
    for name, value in values["policy_kwargs"].items():
        if not free:
            require_known("key of policy_kwargs", name, known.keys() - _SET_BY_SB3)
        read[name] = read_value(f"policy_kwargs.{name}", value, policy)
    return read


def _action_noise(value: Any, actions: Space[Any] | None) -> NormalActionNoise:
    if not isinstance(value, Mapping):
        raise ParameterError(
            f"action_noise={value!r} is not {{normal: deviation}}, such as {{normal: 0.1}}"
        )
    for kind in value:
        require_known("action_noise", str(kind), ["normal"])
    deviation = require_number("action_noise.normal", value.get("normal"))
    size = 1 if actions is None else flatdim(actions)
    return NormalActionNoise(np.zeros(size), np.full(size, deviation))


def policy_name(algorithm: str, space: Space[Any] | None = None) -> str:
    """Return SB3's name of an algorithm's policy for an observation space; None: a flat one."""
    kind = "Cnn" if space is not None and is_image_space(space) else "Mlp"
    kind = "MultiInput" if isinstance(space, Dict) else kind
    return f"{kind}LstmPolicy" if algorithm == "RecurrentPPO" else f"{kind}Policy"
