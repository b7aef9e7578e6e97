# SPDX-License-Identifier: GPL-2.0-only
"""Algorithms that BenchMARL trains."""

from __future__ import annotations

from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.experiments.libraries.library import Library, parameters_of_class

ON_POLICY = ("IPPO", "MAPPO")
CHOOSING = (*ON_POLICY, "IQL", "ISAC", "MASAC", "QMIX", "VDN")
"""Algorithms with discrete actions; all of them use masks."""

CONTINUOUS = (*ON_POLICY, "IDDPG", "ISAC", "MADDPG", "MASAC")
"""Algorithms with actions in a bounded Box."""

_TAKEN = ("adam_", "clip_grad_", "gamma", "lr")
_TAKEN_BY_KIND = {
    True: ("on_policy_",),
    False: ("off_policy_", "exploration_", "soft_target", "polyak_", "hard_target"),
}
"""Beginnings of BenchMARL's settings that are hyperparameters: of all algorithms, of on-policy
algorithms, and of the others.
"""

_RESERVED = (
    "off_policy_init_random_frames",
    "off_policy_n_envs_per_worker",
    "on_policy_n_envs_per_worker",
    "share_policy_params",
)
"""Hyperparameters that the run sets by `simulations` and `policies`; frames are never random."""


def config_name(algorithm: str) -> str:
    """Return the name of BenchMARL's class for an algorithm's hyperparameters."""
    return f"{algorithm.capitalize()}Config"


def _hyperparameters(algorithm: str) -> set[str] | None:
    of_algorithm = parameters_of_class("benchmarl", config_name(algorithm))
    of_experiment = parameters_of_class("benchmarl", "ExperimentConfig")
    if of_algorithm is None or of_experiment is None:
        return None
    taken = _TAKEN + _TAKEN_BY_KIND[algorithm in ON_POLICY]
    kept = {name for name in of_experiment if name.startswith(taken)}
    return of_algorithm | kept | {"model", "critic_model"}


BENCHMARL = Library(
    trainer="defiance_zoo.experiments.training.benchmarl.trainer:BenchMARLTrainer",
    algorithms=sorted({*CHOOSING, *CONTINUOUS}),
    hyperparameters=_hyperparameters,
    reserved=frozenset(_RESERVED),
    options=frozenset({"features", "max_agents", "policies", "threads"}),
    masked=CHOOSING,
    advice={
        "normalize": "features='Symlog' scales observations without statistics",
        "ray_address": "BenchMARL samples in one process",
        "runners": "BenchMARL samples in one process: set simulations=... instead",
    },
    modules=("benchmarl", "torch", "torchrl"),
    packages=("benchmarl", "tensordict", "torch", "torchrl"),
    install=install_command("benchmarl"),
)
