# SPDX-License-Identifier: GPL-2.0-only
"""Tunings that the tests run."""

from __future__ import annotations

import copy
import csv
from pathlib import Path
from typing import Any

import yaml

from defiance_zoo.experiments.tuning import TuningConfig, build_tuning
from defiance_zoo.experiments.workbench.descriptions import merge

LEARNING_RATE = {"type": "float", "low": 1e-5, "high": 1e-2, "log": True}
SMALL: dict[str, Any] = {
    "env": "cart_pole_v0",
    "parameters": {"duration": "300ms"},
    "hyperparameters": {"n_steps": 32, "batch_size": 32},
    "steps": 64,
    "evaluation": {"every": 32, "episodes": 2},
    "tuning": {"space": {"hyperparameters": {"learning_rate": LEARNING_RATE}}, "trials": 2},
}
"""A tuning whose trials take less than a second each."""


def described(**changes: Any) -> dict[str, Any]:
    """Return `SMALL`, with changes merged key by key."""
    return merge(copy.deepcopy(SMALL), changes)


def built(**changes: Any) -> TuningConfig:
    """Return the tuning that `described()` describes."""
    return build_tuning(described(**changes))


def space(**ranges: Any) -> dict[str, Any]:
    """Return the description of a tuning that searches only these keys."""
    values = copy.deepcopy(SMALL)
    values["tuning"]["space"] = ranges
    return values


def write(folder: Path, values: dict[str, Any]) -> Path:
    """Write a description of a tuning as a file."""
    path = folder / "tuning.yaml"
    path.write_text(yaml.safe_dump(values, sort_keys=False))
    return path


def read_trials(folder: Path) -> list[dict[str, str]]:
    """Return the rows of a tuning's table, without values that depend on the machine's speed."""
    with (folder / "trials.csv").open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        del row["duration_s"]
    return rows
