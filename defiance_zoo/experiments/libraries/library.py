# SPDX-License-Identifier: GPL-2.0-only
"""Descriptions of libraries, which are read before the libraries are imported."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

OPTIONS = (
    "features",
    "normalize",
    "policies",
    "ray_address",
    "rollouts",
    "runners",
    "teacher",
    "threads",
)
"""Keys of a run that some libraries do not support; see docs/training/training.md."""


def _not_known(_algorithm: str) -> Collection[str] | None:
    return None


@dataclass(frozen=True)
class Library:
    """The algorithms that a library trains, and their requirements.

    The module of such an object must not import slow modules: it is imported first, to report
    typing errors at once.

    Attributes:
        trainer: Its trainer as `package.module:Class`, a subclass of
            `defiance_zoo.experiments.training.Trainer`, imported on demand.
        algorithms: Names of its algorithms.
        hyperparameters: Returns the names of an algorithm's hyperparameters. None: the names are
            unknown without importing the library, and the trainer has to refuse unknown ones.
        reserved: Hyperparameters that the run sets, so users must not set them.
        options: Supported options of `OPTIONS`; a run with another option is refused.
        masked: Algorithms that use action masks; None: unknown, so runs are not checked.
        advice: Remedies for unsupported options, by option.
        modules: Modules that `defiance-zoo doctor` tries to import.
        packages: Distributions whose versions affect results, for `versions.json`.
        install: The command that installs its packages.
        best_responses: Whether the trainer also trains best responses of populations.
    """

    trainer: str
    algorithms: Collection[str]
    hyperparameters: Callable[[str], Collection[str] | None] = _not_known
    reserved: frozenset[str] = frozenset()
    options: frozenset[str] = frozenset()
    masked: tuple[str, ...] | None = None
    advice: Mapping[str, str] = field(default_factory=dict)
    modules: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    install: str = "install its packages"
    best_responses: bool = False
