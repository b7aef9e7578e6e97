# SPDX-License-Identifier: GPL-2.0-only
"""Runs: what is trained, by which library, where the results stand, and how they are used again."""

from defiance_zoo.training.configuration import Evaluation, RunConfig
from defiance_zoo.training.trainer import Iteration, Policy, Trainer, create_trainer, load_policy

__all__ = [
    "RunConfig",
    "Evaluation",
    "Trainer",
    "Iteration",
    "Policy",
    "create_trainer",
    "load_policy",
]
