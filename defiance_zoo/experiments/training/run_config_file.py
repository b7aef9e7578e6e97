# SPDX-License-Identifier: GPL-2.0-only
"""Descriptions of runs from YAML and flags, and their checks before simulations start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.workbench.descriptions import build_model, model_to_yaml


def to_yaml(config: RunConfig) -> str:
    """Return a run's keys and values for a file, defaults included."""
    sections = {
        "parameters": config.parameters,
        "hyperparameters": config.hyperparameters,
        "feature_options": config.feature_options,
        "teacher.options": config.teacher.options if config.teacher else {},
        "residual.options": config.residual.options if config.residual else {},
    }
    for section, values in sections.items():
        for name, value in values.items():
            if not _is_plain(value):
                raise ParameterError(
                    f"{section}.{name}: a {type(value).__name__} cannot be written to a file"
                )
    return model_to_yaml(config)


def _is_plain(value: Any) -> bool:
    """Return whether a value is unchanged after writing it to a file and reading it."""
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_plain(each) for key, each in value.items())
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or type(value) in (bool, int, float, str)


def build_config(values: Mapping[str, Any]) -> RunConfig:
    """Return the run that keys and values describe."""
    if "tuning" in values:
        raise ParameterError(
            "'tuning' is not a key of a run: 'defiance-zoo tune' searches, and writes the best run"
        )
    return build_model(RunConfig, values)


def check_environment(config: RunConfig) -> None:
    """Compare a run's environment with the scenario's description."""
    lookup(config.env).raw_env(**config.parameters).close()
