# SPDX-License-Identifier: GPL-2.0-only
"""Training with Stable-Baselines3."""

from defiance_zoo.training.sb3.trainer import SB3Trainer, create_trainer, load_policy

__all__ = ["SB3Trainer", "create_trainer", "load_policy"]
