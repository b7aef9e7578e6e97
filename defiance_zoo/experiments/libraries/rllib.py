# SPDX-License-Identifier: GPL-2.0-only
"""Algorithms that RLlib trains."""

from __future__ import annotations

import re

from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.experiments.libraries.library import Library, folder_of


def _hyperparameters(_algorithm: str) -> set[str] | None:
    """Return the hyperparameters of all configurations of RLlib's algorithms."""
    folder = folder_of("ray")
    if folder is None:
        return None
    found = {"callbacks", "model_config"}
    for path in (folder / "rllib" / "algorithms").rglob("*.py"):
        found.update(re.findall(r"\bself\._?(\w+)(?:: [^=\n]+)? =", path.read_text("utf-8")))
    return found


RLLIB = Library(
    trainer="defiance_zoo.experiments.training.rllib.trainer:RLlibTrainer",
    algorithms=("PPO", "APPO", "IMPALA", "DQN", "SAC"),
    hyperparameters=_hyperparameters,
    options=frozenset({"features", "policies", "ray_address", "runners", "threads"}),
    masked=("PPO",),
    advice={
        "max_agents": "RLlib takes agents as they join",
        "normalize": "RLlib has connectors for it",
    },
    modules=("ray", "torch"),
    packages=("ray", "torch"),
    install=install_command("rllib"),
    best_responses=True,
)
