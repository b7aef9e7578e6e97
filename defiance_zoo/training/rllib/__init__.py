# SPDX-License-Identifier: GPL-2.0-only
"""Training with RLlib."""

from defiance_zoo.training.rllib.trainer import RLlibTrainer, create_trainer, load_policy

__all__ = ["RLlibTrainer", "create_trainer", "load_policy"]
