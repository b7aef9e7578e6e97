# SPDX-License-Identifier: GPL-2.0-only
"""Reading of tunings from YAML files, with checks of all keys and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.library_support import check_names
from defiance_zoo.experiments.training.run_config_file import check_environment
from defiance_zoo.experiments.tuning.configuration import TuningConfig
from defiance_zoo.experiments.tuning.leaderboard_overlap import check_leaderboard
from defiance_zoo.experiments.workbench.descriptions import build_model
from defiance_zoo.experiments.workbench.wording import locating


def build_tuning(values: Mapping[str, Any]) -> TuningConfig:
    """Return the tuning that keys and values describe.

    Raises:
        ParameterError: A key is unknown, missing or has a wrong type, or a range is empty.
    """
    if "tuning" not in values:
        raise ParameterError(
            "'tuning' is missing: the section that names the keys to search, such as tuning: "
            "{space: {hyperparameters: {learning_rate: {type: float, low: 1e-5, high: 1e-2, "
            "log: true}}}}"
        )
    return build_model(TuningConfig, values)


def check(config: TuningConfig) -> None:
    """Refuse a tuning whose trials cannot run; no simulation starts.

    Each bound and each choice is checked with the first values of the other keys.

    Raises:
        ParameterError: No key is searched, a key is both fixed and searched, a name is unknown, a
            value is not allowed, or trials would have no evaluation. UnknownEnvironment,
            ScenarioNotFound, BrokenPlugin: As for `train()`.
    """
    ranges = config.tuning.space.ranges
    if not ranges:
        raise ParameterError("tuning.space names no key to search")
    for key in ranges:
        _refuse_fixed(key, config)
    _check_evaluation(config)
    first = {key: each.examples[0] for key, each in ranges.items()}
    for key, each in ranges.items():
        for example in each.examples:
            with locating(f"tuning.space.{key}: {example!r}"):
                run = config.run({**first, key: example})
                check_names(run)
                check_environment(run)
    check_leaderboard(config)


def _refuse_fixed(key: str, config: TuningConfig) -> None:
    section, _, name = key.partition(".")
    fixed = name in getattr(config, section) if name else section in config.model_fields_set
    if fixed:
        raise ParameterError(f"{key} has a value, and is in tuning.space: remove one of them")


def _check_evaluation(config: TuningConfig) -> None:
    every = config.evaluation.every
    if every is None:
        raise ParameterError(
            "evaluation.every is not set: trials are compared by the evaluations during their "
            f"training, such as evaluation: {{every: {max(1, config.steps // 10)}}}"
        )
    if every > config.steps:
        raise ParameterError(
            f"evaluation.every={every} is more than steps={config.steps}: no trial would be "
            "evaluated"
        )
