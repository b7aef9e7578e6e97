# SPDX-License-Identifier: GPL-2.0-only
"""SB3's algorithms by name, and what is refused before anything starts."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from defiance_zoo.errors import ParameterError
from defiance_zoo.training.algorithms import SB3, require_hyperparameters, require_known
from defiance_zoo.training.configuration import RunConfig


def algorithm(config: RunConfig) -> Any:
    """Return the class of a run's algorithm.

    Raises:
        ParameterError: SB3 cannot do what the run asks for, or has no such name.
    """
    if config.policies != "shared":
        raise ParameterError(
            f"policies={config.policies!r}: SB3 trains one policy that all agents share; "
            "library='rllib' trains several"
        )
    if config.runners or config.ray_address is not None:
        raise ParameterError(
            "SB3 samples in one process: say simulations=... instead of runners=... or ray_address"
        )
    require_known("algorithm of sb3", config.algorithm, SB3)
    found = getattr(importlib.import_module(SB3[config.algorithm]), config.algorithm)
    require_hyperparameters(config, inspect.signature(found).parameters)
    return found


def hyperparameters(config: RunConfig) -> dict[str, Any]:
    """Return the run's hyperparameters in the types that SB3 demands; YAML has no tuples."""
    values = {"device": "cpu", **config.hyperparameters}
    if isinstance(values.get("train_freq"), list):
        values["train_freq"] = tuple(values["train_freq"])
    return values
