# SPDX-License-Identifier: GPL-2.0-only
"""SB3's algorithms by name, and what is refused before anything starts."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable
from typing import Any

import sb3_contrib
import stable_baselines3

from defiance_zoo.errors import ParameterError
from defiance_zoo.training.configuration import RunConfig

ALGORITHMS = {
    **dict.fromkeys(("A2C", "DDPG", "DQN", "PPO", "SAC", "TD3"), stable_baselines3),
    **dict.fromkeys(("CrossQ", "MaskablePPO", "QRDQN", "TQC", "TRPO"), sb3_contrib),
}
"""Names, and the packages that have them."""

_OURS = {"env", "seed", "tensorboard_log", "verbose", "_init_setup_model"}


def algorithm(config: RunConfig) -> Any:
    """Return the class of a run's algorithm.

    Raises:
        ParameterError: SB3 cannot do what the run asks for, or has no such name.
    """
    if config.policies != "shared":
        raise ParameterError(
            f"policies={config.policies!r}: SB3 trains one policy that all agents share; "
            "library='rllib' trains several"
        )
    if config.runners or config.ray_address is not None:
        raise ParameterError(
            "SB3 samples in one process: say simulations=... instead of runners=... or ray_address"
        )
    if config.algorithm not in ALGORITHMS:
        raise ParameterError(_unknown("algorithm", config.algorithm, ALGORITHMS))
    found = getattr(ALGORITHMS[config.algorithm], config.algorithm)
    known = set(inspect.signature(found).parameters) - _OURS
    for name in config.hyperparameters:
        if name in _OURS:
            raise ParameterError(f"{name!r} is no hyperparameter here: the run decides it")
        if name not in known:
            raise ParameterError(_unknown(f"hyperparameter of {config.algorithm}", name, known))
    return found


def hyperparameters(config: RunConfig) -> dict[str, Any]:
    """Return the run's hyperparameters in the types that SB3 demands; YAML has no tuples."""
    values = {"device": "cpu", **config.hyperparameters}
    if isinstance(values.get("train_freq"), list):
        values["train_freq"] = tuple(values["train_freq"])
    return values


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, known, 1, cutoff=0.4)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"no {what} {name!r}{hint} There are {sorted(known)}"
