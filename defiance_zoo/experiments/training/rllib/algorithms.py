# SPDX-License-Identifier: GPL-2.0-only
"""RLlib's algorithms: their hyperparameters, and Ray with enough CPUs."""

from __future__ import annotations

import contextlib
import copy
import math
import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

import ray

from defiance_zoo.bridge.system.running_time import running_time
from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.workbench.ray_cluster import connect, local_ray


def count_decisions(built: Any) -> None:
    """Let decisions end an iteration if RLlib's default uses a clock.

    Evaluations and checkpoints follow iterations, and must not depend on the machine's load.
    Samples must not depend on it either: by default, RLlib discards samples that take more than a
    minute.
    """
    built.env_runners(sample_timeout_s=None)
    if built.min_time_s_per_iteration:
        least = built.min_sample_timesteps_per_iteration or built.train_batch_size
        built.reporting(min_time_s_per_iteration=None, min_sample_timesteps_per_iteration=least)


def apply_hyperparameters(built: Any, hyperparameters: Mapping[str, Any]) -> None:
    """Set properties of an algorithm's configuration by name."""
    known = {name.lstrip("_") for name in vars(built)}  # some are properties
    for name, value in hyperparameters.items():
        if name == "model_config":
            _require_sequences(built, value)
            built.rl_module(model_config=value)
        elif name in known:
            built.update_from_dict({name: copy.deepcopy(value)})
        else:
            near = near_word(name, known)
            raise ParameterError(f"{type(built).__name__} has no property {name!r}{near}")


def _require_sequences(built: Any, model_config: Any) -> None:
    """Refuse an LSTM for algorithms whose default networks do not support it."""
    uses_lstm = isinstance(model_config, Mapping) and model_config.get("use_lstm")
    if uses_lstm and hasattr(built, "replay_buffer_config"):
        algorithm = type(built).__name__.removesuffix("Config")
        raise ParameterError(
            f"model_config={dict(model_config)!r}: {algorithm} has no LSTM; PPO, APPO "
            "and IMPALA have"
        )


_PATIENCE_S = 30.0
"""Time to wait for CPUs of other runs, in seconds."""


def cpus_of(built: Any) -> float:
    """Return the number of CPUs that Ray needs for an algorithm's processes."""
    runners: float = built.num_env_runners * built.num_cpus_per_env_runner
    return runners + int(built.num_learners)


@contextlib.contextmanager
def ray_session(address: str | None, needed: float) -> Iterator[None]:
    """Start Ray on this machine or connect to a cluster in a context, if this process has not.

    Args:
        address: Address of the cluster; None for this machine, or for this process's connection.
        needed: Least number of CPUs if Ray is started on this machine.
    """
    if address is None and not ray.is_initialized():
        with local_ray(max(os.cpu_count() or 1, math.ceil(needed))):
            yield
        return
    connected = address is not None and connect(address)
    try:
        yield
    finally:
        if connected:
            ray.shutdown()


def build_algorithm(
    built: Any, address: str | None, needed: float
) -> tuple[Any, contextlib.ExitStack]:
    """Build an algorithm on the running Ray or on a new one.

    Returns:
        The algorithm, and a stack that ends Ray if it was started.
    """
    with contextlib.ExitStack() as session:
        session.enter_context(ray_session(address, needed))
        require_cpus(cpus_of(built))
        return built.build_algo(), session.pop_all()


def require_cpus(needed: float) -> None:
    """Wait briefly for free CPUs; RLlib would wait endlessly."""
    deadline = running_time() + _PATIENCE_S
    cluster: Any = ray  # its functions have no types
    while (free := cluster.available_resources().get("CPU", 0.0)) < needed:
        if running_time() > deadline or cluster.cluster_resources().get("CPU", 0.0) < needed:
            raise ParameterError(f"the run needs {needed:g} CPUs; Ray has {free:g} free")
        time.sleep(0.1)
