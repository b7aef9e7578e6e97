# SPDX-License-Identifier: GPL-2.0-only
"""A run's hyperparameters as properties of RLlib's configurations."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.errors import ParameterError


def count_decisions(built: Any) -> None:
    """Let decisions end an iteration if RLlib's default uses a clock.

    Evaluations and checkpoints follow iterations, and must not depend on the machine's load.
    Samples must not depend on it either: by default, RLlib discards samples that take more than a
    minute.
    """
    built.env_runners(sample_timeout_s=None)
    if built.min_time_s_per_iteration:
        least = built.min_sample_timesteps_per_iteration or built.train_batch_size
        built.reporting(min_time_s_per_iteration=None, min_sample_timesteps_per_iteration=least)


def apply_hyperparameters(built: Any, hyperparameters: Mapping[str, Any]) -> None:
    """Set properties of an algorithm's configuration by name."""
    known = {name.lstrip("_") for name in vars(built)}  # some are properties
    for name, value in hyperparameters.items():
        if name == "model_config":
            _require_sequences(built, value)
            built.rl_module(model_config=value)
        elif name in known:
            built.update_from_dict({name: copy.deepcopy(value)})
        else:
            near = near_word(name, known)
            raise ParameterError(f"{type(built).__name__} has no property {name!r}{near}")


def _require_sequences(built: Any, model_config: Any) -> None:
    """Refuse an LSTM for algorithms whose default networks do not support it."""
    uses_lstm = isinstance(model_config, Mapping) and model_config.get("use_lstm")
    if uses_lstm and hasattr(built, "replay_buffer_config"):
        algorithm = type(built).__name__.removesuffix("Config")
        raise ParameterError(
            f"model_config={dict(model_config)!r}: {algorithm} has no LSTM; PPO, APPO "
            "and IMPALA have"
        )
