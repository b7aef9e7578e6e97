# SPDX-License-Identifier: GPL-2.0-only
"""Descriptions of runs from YAML and flags, and their checks before anything slow is imported."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping
from typing import Any

from defiance_zoo.environments import lookup
from defiance_zoo.errors import BrokenPlugin, ParameterError
from defiance_zoo.experiments.evaluation import cheap_policies, maker_of, read_named
from defiance_zoo.experiments.libraries import (
    OPTIONS,
    Library,
    find_library,
    library_names,
    require_known,
)
from defiance_zoo.experiments.libraries.library import broken, require_hyperparameters
from defiance_zoo.experiments.training.configuration import Residual, RunConfig, Teacher
from defiance_zoo.experiments.workbench.descriptions import build_model, model_to_yaml
from defiance_zoo.experiments.workbench.wording import locating, require_choice


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


def check_teacher(config: RunConfig, teacher: Teacher) -> None:
    """Refuse an unknown teacher, and keys that contradict each other."""
    spec = lookup(config.env)
    with locating("teacher"):
        read_named(spec, teacher.named)
        if teacher.driver is not None:
            require_choice("driver", teacher.driver, [each.name for each in cheap_policies(spec)])
        if teacher.method == "bc" and teacher.rounds is not None:
            raise ParameterError(f"rounds={teacher.rounds} is for method='dagger', not for 'bc'")
        if teacher.labels < teacher.round_count:
            raise ParameterError(
                f"labels={teacher.labels} is too few: each of {teacher.round_count} rounds needs "
                "one"
            )
    if config.normalize:
        raise ParameterError(
            "normalize=True cannot be used with a teacher: the statistics would change the "
            "observations for which the policy has imitated the teacher; use features='Symlog', "
            "which has no statistics"
        )


def check_residual(config: RunConfig, residual: Residual) -> None:
    """Refuse an unknown policy, and keys that contradict each other."""
    spec = lookup(config.env)
    with locating("residual"):
        read_named(spec, residual.named)
        kind = maker_of(spec, residual.named).kind
        if kind != "hand-written":
            raise ParameterError(f"{residual.policy!r} is no hand-written policy, but a {kind} one")
    for name, reason in _EXCLUDED.items():
        if getattr(config, name) != RunConfig.model_fields[name].default:
            raise ParameterError(
                f"residual={residual.policy!r} cannot be used with {name}: {reason}"
            )


_EXCLUDED = {
    "normalize": "statistics would scale the hand-written choices, too; use features='Symlog'",
    "rollouts": "simulations do not have the hand-written policy; use 'through-python'",
    "teacher": "the policy starts either as a copy of a teacher, or as a hand-written policy",
}
"""Keys of a run that a residual excludes, and why."""


def check_names(config: RunConfig) -> None:
    """Refuse a run that its library does not support, without slow imports."""
    library = find_library(config.library)
    require_known(f"algorithm of {config.library}", config.algorithm, library.algorithms)
    known = _hyperparameters(config, library)
    require_hyperparameters(config.algorithm, config.hyperparameters, known, library.reserved)
    for option in OPTIONS:
        default = RunConfig.model_fields[option].default
        if option not in library.options and getattr(config, option) != default:
            raise ParameterError(_refuse(config, library, option))
    if config.teacher is not None:
        check_teacher(config, config.teacher)
    if config.residual is not None:
        check_residual(config, config.residual)
    if config.features is not None or config.feature_options:
        from defiance_zoo.experiments.training.features import check_features  # imports PyTorch

        check_features(config)
    _check_masks(config, library)


def _check_masks(config: RunConfig, library: Library) -> None:
    """Refuse an algorithm that would play actions that the environment refuses."""
    if library.masked is None or config.algorithm in library.masked:
        return
    if lookup(config.env).scenario.heeds_masks(config.parameters):
        masked = [
            f"algorithm={algorithm!r} with library={name!r}"
            for name in sorted(library_names(), key=lambda name: name != config.library)
            for algorithm in (find_library(name).masked or ())[:1]
        ]
        raise ParameterError(
            f"{config.algorithm} of {config.library} does not use action masks, and {config.env} "
            f"refuses actions that a mask forbids: use {' or '.join(masked)}"
        )


def _hyperparameters(config: RunConfig, library: Library) -> Collection[str] | None:
    try:
        return library.hyperparameters(config.algorithm)
    except Exception as error:  # modules of others may raise any exception
        raise broken(config.library, f"{type(error).__name__}: {error}") from error


def _refuse(config: RunConfig, library: Library, option: str) -> str:
    """Return why a run cannot have an option, and the libraries that support the option."""
    others = []
    for name in library_names():
        with contextlib.suppress(BrokenPlugin):
            if option in find_library(name).options:
                others.append(f"library={name!r}")
    advice = f": {library.advice[option]}" if option in library.advice else ""
    takers = f"; {' and '.join(others)} can have it" if others else ""
    value = getattr(config, option)
    return f"{option}={value!r} cannot be used with library={config.library!r}{advice}{takers}"
