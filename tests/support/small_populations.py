# SPDX-License-Identifier: GPL-2.0-only
"""Common parts of tests of populations: small ones of matrix games, and their growth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matrix_games  # noqa: F401 # registers games
from rllib_support import RAY_WARNINGS as RAY_WARNINGS

from defiance_zoo.experiments.workbench.descriptions import build_model, merge
from defiance_zoo.experiments.workbench.events import EventCallback, ignore
from defiance_zoo.population.configuration import BestResponse, PopulationConfig
from defiance_zoo.population.running.run import Outcome, train_population

GAME = "matrix_games:biased_rps_v0"

HYPERPARAMETERS: dict[str, dict[str, Any]] = {
    "rllib": {
        "train_batch_size_per_learner": 640,
        "minibatch_size": 640,
        "num_epochs": 4,
        "lr": 0.02,
        "gamma": 0.0,
    },
    "sb3": {
        "n_steps": 10,
        "batch_size": 640,
        "n_epochs": 4,
        "learning_rate": 0.02,
        "gamma": 0.0,
    },
}
"""Values with which a best response of three actions is learned in some thousand decisions."""


def constants(count: int) -> list[dict[str, Any]]:
    """Return a policy for each action."""
    return [{"baseline": "constant", "options": {"action": each}} for each in range(count)]


def population(library: str = "sb3", **changes: Any) -> PopulationConfig:
    """Return a small population of biased rock, paper, scissors, which begins with paper."""
    usual = {
        "env": GAME,
        "payoff": "per_decision",
        "initial": {"player": constants(3)[1:2]},
        "probes": {"player": constants(3)},
        "best_response": {
            "library": library,
            "hyperparameters": HYPERPARAMETERS[library],
            "simulations": 64,
        },
        "stop": {"steps": 5120},
        "generations": 2,
        "episodes": 2,
    }
    return build_model(PopulationConfig, merge(usual, changes))


def quick(library: str = "sb3", **changes: Any) -> PopulationConfig:
    """Return a population whose policies hardly learn."""
    return population(library, **merge({"stop": {"steps": 1}}, changes))


def grow(
    config: PopulationConfig, out: Path, report: EventCallback = ignore, **arguments: Any
) -> Outcome:
    """Grow a population in this process."""
    return train_population(config, out, workers=0, report=report, **arguments)


def response(library: str) -> BestResponse:
    """Return the training configuration of best responses in small populations."""
    return population(library).best_response
