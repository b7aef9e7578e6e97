# SPDX-License-Identifier: GPL-2.0-only
"""Imports of the parts of the package that need extras."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.command_line.progress import waiting
from defiance_zoo.errors import DependencyMissing

_LATER = ("matplotlib", "scipy", "tensorboardX")
"""Modules that training imports late, and that must be installed before it starts."""


def _import_part(what: str, modules: tuple[str, ...], *extras: str) -> Any:
    """Return the last of some modules of the package, which need one of some extras."""
    try:
        with waiting(f"loading what {what} needs"):
            *_, found = [importlib.import_module(f"defiance_zoo.{name}") for name in modules]
        for name in _LATER if "experiments.training" in modules else ():
            if importlib.util.find_spec(name) is None:
                raise ModuleNotFoundError(name=name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("defiance_zoo"):
            raise
        remedy = ", or ".join(map(install_command, extras))
        raise DependencyMissing(
            f"{what} needs {error.name!r}, which is not installed: {remedy}"
        ) from error
    return found


def _part(what: str, modules: tuple[str, ...], *extras: str) -> Callable[[], Any]:
    """Return a function that imports a part of the package; see `_import_part()`."""
    return functools.partial(_import_part, what, modules, *extras)


import_training = _part("training", ("experiments.training",), "sb3", "rllib", "benchmarl")
import_study = _part("a study", ("experiments.study",), "study")
import_tuning = _part("a tuning", ("experiments.tuning",), "tune")
import_comparison = _part("a comparison of explorers", ("protocols.comparison",), "study")
import_population = _part("a population", ("population",), "population")
import_real_paths = _part(
    "sending by QUIC",
    # The measurement starts the sender.
    ("experiments.real_paths.sender", "experiments.real_paths.measurement"),
    "quic",
)
import_viewing = _part("a report of episodes", ("recording.viewing",), "record")
import_chart = _part("a chart", ("protocols.chart",), "record")
