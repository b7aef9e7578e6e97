# SPDX-License-Identifier: GPL-2.0-only
"""Runs: what is trained, by which library, where the results stand, and how they are used again."""

from defiance_zoo.moved import add_names
from defiance_zoo.training.configuration import Evaluation, RunConfig
from defiance_zoo.training.evaluation import evaluate, evaluate_baselines
from defiance_zoo.training.interruption import Aborted
from defiance_zoo.training.run import Outcome, resume, train
from defiance_zoo.training.trainer import Iteration, Policy, Trainer, create_trainer, load_policy

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

add_names(__name__, {"export_file": "export.policy_file", "rllib_policy": "rllib.policy"})
