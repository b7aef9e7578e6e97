# SPDX-License-Identifier: GPL-2.0-only
"""Descriptions of libraries, known before they are imported."""

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
"""Keys of a run that not every library heeds; see docs/training/training.md for what they mean."""


def _not_known(_algorithm: str) -> Collection[str] | None:
    return None


@dataclass(frozen=True)
class Library:
    """The algorithms that a library trains, and their requirements.

    A module that has such an object imports nothing that takes long: it is asked before anything
    is started, to answer typos at once.

    Attributes:
        trainer: Where its trainer is, as `package.module:Class`; a subclass of
            `defiance_zoo.experiments.training.Trainer`, imported when it is needed.
        algorithms: Names of its algorithms.
        hyperparameters: Returns the names of an algorithm's hyperparameters; None where they are
            not known without importing the library, so that the trainer has to refuse wrong ones.
        reserved: Names among these that the run decides, and that are refused.
        options: Supported options of `OPTIONS`; a run that sets another one is refused.
        advice: What to do instead of setting an option that it does not heed, by option.
        modules: Modules that have to be importable, for `defiance-zoo doctor`.
        packages: Distributions whose versions results depend on, for `versions.json`.
        install: The command that installs what it needs.
        single_agent_trainer: Where a subclass of `SingleAgentTrainer` is that trains best responses
            of populations, as `trainer`; empty if there is none.
    """

    trainer: str
    algorithms: Collection[str]
    hyperparameters: Callable[[str], Collection[str] | None] = _not_known
    reserved: frozenset[str] = frozenset()
    options: frozenset[str] = frozenset()
    advice: Mapping[str, str] = field(default_factory=dict)
    modules: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    install: str = "install what brings it"
    single_agent_trainer: str = ""
