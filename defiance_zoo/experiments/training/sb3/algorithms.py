# SPDX-License-Identifier: GPL-2.0-only
"""SB3's algorithms by name, and the conversion of their hyperparameters."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from stable_baselines3.common.policies import BasePolicy

from defiance_zoo.bridge.system.imports import import_attribute
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.libraries.library import require_hyperparameters, require_known
from defiance_zoo.experiments.libraries.sb3 import ALGORITHMS, SB3
from defiance_zoo.experiments.training.configuration import RunConfig


def algorithm(config: RunConfig) -> Any:
    """Return the class of a run's algorithm."""
    name = config.algorithm
    require_known(f"algorithm of {config.library}", name, ALGORITHMS)
    found = getattr(importlib.import_module(ALGORITHMS[name]), name)
    known = inspect.signature(found).parameters
    require_hyperparameters(name, config.hyperparameters, known, SB3.reserved)
    return found


def hyperparameters(config: RunConfig) -> dict[str, Any]:
    """Return the run's hyperparameters with the types that SB3 needs; YAML has no tuples."""
    values = {"device": "cpu", **config.hyperparameters}
    if ":" in str(values.get("policy", "")):
        values["policy"] = _policy_class(str(values["policy"]))
    if isinstance(values.get("train_freq"), list):
        values["train_freq"] = tuple(values["train_freq"])
    return values


def _policy_class(place: str) -> Any:
    """Return a policy class from its name `module:Class`."""
    try:
        found = import_attribute(place)
    except ImportError as error:
        raise ParameterError(f"policy={place!r} cannot be imported: {error}") from None
    if not isinstance(found, type) or not issubclass(found, BasePolicy):
        raise ParameterError(f"policy={place!r} is not a policy class of Stable-Baselines3")
    return found
