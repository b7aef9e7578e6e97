# SPDX-License-Identifier: GPL-2.0-only
"""Training with Stable-Baselines3."""

from defiance_zoo.experiments.training.sb3.trainer import SB3Trainer

__all__ = ["SB3Trainer"]
