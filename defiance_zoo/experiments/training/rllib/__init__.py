# SPDX-License-Identifier: GPL-2.0-only
"""Training with RLlib."""

from defiance_zoo.experiments.training.rllib.trainer import RLlibTrainer

__all__ = ["RLlibTrainer"]
