# SPDX-License-Identifier: GPL-2.0-only
"""Checks that a library supports a run, without importing the library."""

from __future__ import annotations

import contextlib
from collections.abc import Collection

from defiance_zoo.environments import lookup
from defiance_zoo.errors import BrokenPlugin, ParameterError
from defiance_zoo.experiments.libraries import (
    OPTIONS,
    Library,
    find_library,
    library_names,
    require_known,
)
from defiance_zoo.experiments.libraries.name_checks import require_hyperparameters
from defiance_zoo.experiments.libraries.registry import broken
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.training.teacher.checks import check_teacher


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
            for algorithm in find_library(name).masked or ()
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
