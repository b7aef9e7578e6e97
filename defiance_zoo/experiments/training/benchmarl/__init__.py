# SPDX-License-Identifier: GPL-2.0-only
"""Training with BenchMARL; policies play without it."""

from defiance_zoo.experiments.training.benchmarl.trainer import BenchMARLTrainer

__all__ = ["BenchMARLTrainer"]
