# SPDX-License-Identifier: GPL-2.0-only
"""Algorithms that Stable-Baselines3 and sb3-contrib train."""

from __future__ import annotations

from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.experiments.libraries.library import Library, parameters_of_class

ALGORITHMS = {
    **dict.fromkeys(("A2C", "DDPG", "DQN", "PPO", "SAC", "TD3"), "stable_baselines3"),
    **dict.fromkeys(
        ("CrossQ", "MaskablePPO", "QRDQN", "RecurrentPPO", "TQC", "TRPO"), "sb3_contrib"
    ),
}
"""Algorithms, and the packages that have them."""


def _hyperparameters(algorithm: str) -> set[str] | None:
    return parameters_of_class(ALGORITHMS[algorithm], algorithm)


SB3 = Library(
    trainer="defiance_zoo.experiments.training.sb3.trainer:SB3Trainer",
    algorithms=ALGORITHMS,
    hyperparameters=_hyperparameters,
    reserved=frozenset({"env", "seed", "tensorboard_log", "verbose", "_init_setup_model"}),
    options=frozenset(
        {"features", "max_agents", "normalize", "residual", "rollouts", "teacher", "threads"}
    ),
    masked=("MaskablePPO",),
    advice={
        "policies": "SB3 trains one policy that all agents share",
        "ray_address": "SB3 samples in one process",
        "runners": "SB3 samples in one process: set simulations=... instead",
    },
    modules=("sb3_contrib", "stable_baselines3", "supersuit"),
    packages=("sb3-contrib", "stable-baselines3", "supersuit", "torch"),
    install=install_command("sb3"),
    best_responses=True,
)
