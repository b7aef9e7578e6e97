# SPDX-License-Identifier: GPL-2.0-only
"""From YAML and flags to a description that is checked, before anything starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.workbench.descriptions import build_model, model_to_yaml


def to_yaml(config: RunConfig) -> str:
    """Return a run as a file describes it, defaults included.

    Raises:
        ParameterError: It holds objects, which would not be the same when they are read.
    """
    sections = {
        "parameters": config.parameters,
        "hyperparameters": config.hyperparameters,
        "feature_options": config.feature_options,
        "teacher.options": config.teacher.options if config.teacher else {},
    }
    for section, values in sections.items():
        for name, value in values.items():
            if not _is_plain(value):
                raise ParameterError(
                    f"{section}.{name}: a {type(value).__name__} cannot stand in a file"
                )
    return model_to_yaml(config)


def _is_plain(value: Any) -> bool:
    """Return whether a value is unchanged after it was written to a file and read."""
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_plain(each) for key, each in value.items())
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or type(value) in (bool, int, float, str)


def build_config(values: Mapping[str, Any]) -> RunConfig:
    """Return the run that keys and values describe.

    Raises:
        ParameterError: A key is unknown, missing or ill-typed; the message says so on one line.
    """
    if "tuning" in values:
        raise ParameterError(
            "'tuning' is no key of a run: 'defiance-zoo tune' searches, and writes the best run"
        )
    return build_model(RunConfig, values)


def check_environment(config: RunConfig) -> None:
    """Compare a run's environment with what the scenario says of itself.

    Raises:
        UnknownEnvironment: There is none of this name.
        ScenarioNotFound: Its program is missing.
        ParameterError: A parameter is unknown or not allowed.
    """
    lookup(config.env).raw_env(**config.parameters).close()
