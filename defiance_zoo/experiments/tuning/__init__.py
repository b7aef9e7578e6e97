# SPDX-License-Identifier: GPL-2.0-only
"""Tuning by Optuna: trials of a run with other hyperparameters, features or parameters."""

from defiance_zoo.experiments.tuning.configuration import (
    Range,
    Space,
    Tuning,
    TuningConfig,
    build_tuning,
    check,
)
from defiance_zoo.experiments.tuning.running import Outcome, tune
from defiance_zoo.experiments.tuning.trials import Trial

__all__ = [
    "Outcome",
    "Range",
    "Space",
    "Trial",
    "Tuning",
    "TuningConfig",
    "build_tuning",
    "check",
    "tune",
]
