# SPDX-License-Identifier: GPL-2.0-only
"""Runs: description, training by a library, results and evaluation."""

from defiance_zoo.experiments.training.configuration import Evaluation, RunConfig
from defiance_zoo.experiments.training.evaluation import evaluate, evaluate_baselines
from defiance_zoo.experiments.training.run import Outcome, resume, train
from defiance_zoo.experiments.training.trainer import (
    Iteration,
    Policy,
    Trainer,
    create_trainer,
    load_policy,
)
from defiance_zoo.experiments.workbench.interruption import Aborted

__all__ = [
    "RunConfig",
    "Evaluation",
    "train",
    "resume",
    "evaluate",
    "evaluate_baselines",
    "Outcome",
    "Aborted",
    "Trainer",
    "Iteration",
    "Policy",
    "create_trainer",
    "load_policy",
]
