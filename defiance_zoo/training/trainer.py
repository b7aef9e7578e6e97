# SPDX-License-Identifier: GPL-2.0-only
"""What a library has to offer to be trained with: one class for each library."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from defiance_zoo.errors import DependencyMissing
from defiance_zoo.evaluation import Policy as Policy
from defiance_zoo.training.configuration import RunConfig

_LIBRARIES = {"sb3": "defiance_zoo.training.sb3", "rllib": "defiance_zoo.training.rllib"}


@dataclass(frozen=True)
class Iteration:
    """What one iteration of training brought.

    Attributes:
        steps: Decisions of all agents since the run began, resumed parts included.
        episodes: Episodes that have ended since the run began.
        metrics: By name, with `/` between its parts: `return/mean` (of the episodes that ended
            lately, and of agents), `return/<agent>`, `length/mean`, `info/<agent>/<name>` (means of
            the scenario's numeric infos), `failures` (simulations lost since the run began),
            `simulation_share` (of the time, waiting for ns-3) and the library's own, as
            `loss/<name>`.
    """

    steps: int
    episodes: int
    metrics: dict[str, float] = field(default_factory=dict)


class Trainer(Protocol):
    """Training under way."""

    def iterate(self) -> Iteration:
        """Sample and learn once: at most some seconds of work."""

    def save(self, folder: Path) -> None:
        """Write everything that training goes on from, and the policy, into an empty folder."""

    def restore(self, folder: Path) -> None:
        """Go on from what `save()` wrote; called before the first `iterate()`."""

    def policy(self) -> Policy:
        """Return the policy as it is now."""

    def close(self) -> None:
        """End all simulations and processes; may be called again."""


def create_trainer(config: RunConfig) -> Trainer:
    """Return the trainer of the run's library, ready to iterate; sets PyTorch's threads.

    Raises:
        DependencyMissing: The library is not installed.
        ParameterError: Something that the library cannot do was asked for.
    """
    module = _module(config)
    importlib.import_module("torch").set_num_threads(config.threads)
    trainer: Trainer = module.create_trainer(config)
    return trainer


def load_policy(config: RunConfig, folder: Path) -> Policy:
    """Return the policy of a checkpoint that `Trainer.save` wrote, without starting a simulation.

    Raises:
        DependencyMissing: The library is not installed.
    """
    policy: Policy = _module(config).load_policy(config, folder)
    return policy


def _module(config: RunConfig) -> Any:
    try:
        return importlib.import_module(_LIBRARIES[config.library])
    except ModuleNotFoundError as error:
        raise DependencyMissing(
            f"{error.name!r} is not installed: pip install 'defiance-zoo[{config.library}]'"
        ) from error
