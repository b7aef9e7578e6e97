# SPDX-License-Identifier: GPL-2.0-only
"""Common parts of the tests of RLlib."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tree
from conftest import PROGRAMS, TRIAL

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, register, registered
from defiance_zoo.experiments.training import RunConfig
from defiance_zoo.experiments.training.rllib.trainer import RLlibTrainer

# Warnings of Ray and RLlib: sockets and files they leave open, and their deprecated internals.
RAY_WARNINGS = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    # RLlib registers its own entry in Gymnasium again for each algorithm.
    pytest.mark.filterwarnings("ignore:.*Overriding environment rllib"),
    # RLlib asks for means of episodes before the first one has ended.
    pytest.mark.filterwarnings("ignore:Mean of empty slice"),
]

SMALL: dict[str, dict[str, Any]] = {
    "PPO": {"train_batch_size_per_learner": 60, "minibatch_size": 30, "num_epochs": 1},
    "APPO": {"train_batch_size_per_learner": 50, "min_time_s_per_iteration": 0},
    "IMPALA": {"train_batch_size_per_learner": 50, "min_time_s_per_iteration": 0},
    "DQN": {
        "train_batch_size_per_learner": 8,
        "num_steps_sampled_before_learning_starts": 20,
        "min_sample_timesteps_per_iteration": 40,
    },
    "SAC": {
        "train_batch_size_per_learner": 8,
        "num_steps_sampled_before_learning_starts": 20,
        "min_sample_timesteps_per_iteration": 40,
        "min_time_s_per_iteration": 0,
    },
}
"""Hyperparameters with which an iteration takes less than a second."""


def register_scenarios() -> None:
    """Register the scenarios of the tests."""
    scenarios = [TRIAL, *(Scenario(name, PROGRAMS / name) for name in ("deployment", "masked"))]
    for scenario in scenarios:
        if f"{scenario.name}_v0" not in registered():
            register(f"{scenario.name}_v0", EnvironmentSpec(f"{scenario.name}_v0", scenario))


def run_config(algorithm: str = "PPO", **changes: Any) -> RunConfig:
    """Return a small run of two agents."""
    return RunConfig(
        **{
            "env": "trial_v0",
            "parameters": {"agents": 2},
            "library": "rllib",
            "algorithm": algorithm,
            **changes,
            "hyperparameters": {**SMALL[algorithm], **changes.get("hyperparameters", {})},
        }
    )


def algorithm(trainer: RLlibTrainer) -> Any:
    """Return RLlib's algorithm."""
    return trainer._algorithm


def assert_equal(one: Any, other: Any) -> None:
    """Compare nested values, exactly."""
    tree.assert_same_structure(one, other)
    for a, b in zip(tree.flatten(one), tree.flatten(other), strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
