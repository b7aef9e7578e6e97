# SPDX-License-Identifier: GPL-2.0-only
"""PPO in plain PyTorch, as a library for `defiance-zoo train`."""

from __future__ import annotations

from defiance_zoo.experiments.libraries import Library

DEFAULTS = {
    "clip": 0.2,
    "gae_lambda": 0.95,
    "gamma": 0.99,
    "hidden": 64,
    "learning_rate": 1e-3,
    "n_epochs": 4,
    "n_minibatches": 4,
    "n_steps": 128,
}
"""Hyperparameters with their default values."""

LIBRARY = Library(
    trainer="plain_ppo.trainer:PPOTrainer",
    algorithms=("PPO",),
    hyperparameters=lambda algorithm: DEFAULTS,
    options=frozenset({"threads"}),
    modules=("torch",),
    packages=("plain-ppo", "torch"),
    install="pip install plain-ppo",
)
