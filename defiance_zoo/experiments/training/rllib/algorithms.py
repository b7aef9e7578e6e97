# SPDX-License-Identifier: GPL-2.0-only
"""RLlib's algorithms: their hyperparameters, and Ray with enough CPUs."""

from __future__ import annotations

import contextlib
import copy
import inspect
import math
import os
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

import ray
import ray.cloudpickle
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.learner.learner import Learner
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec

from defiance_zoo.bridge.system.running_time import running_time
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.libraries import require_known
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.training.hyperparameters import linear_ends, load_named
from defiance_zoo.experiments.workbench.ray_cluster import connect, local_ray

_CLASSES: dict[str, type] = {
    "callbacks": RLlibCallback,
    "learner_class": Learner,
    "rl_module_spec": RLModule,
}
"""Hyperparameters that are classes, with their base classes."""

_SCHEDULED = ("actor_lr", "alpha_lr", "critic_lr", "entropy_coeff", "epsilon", "lr")


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


def read_hyperparameters(built: Any, config: RunConfig) -> dict[str, Any]:
    """Return a run's hyperparameters with the types that RLlib needs; nothing is started."""
    known = {name.lstrip("_") for name in vars(built)} | {"callbacks"}  # some are properties
    read = {}
    for name, value in config.hyperparameters.items():
        require_known(f"property of {type(built).__name__}", name, known)
        read[name] = _read(built, name, value, config.steps)
    if isinstance(read.get("model_config"), dict):
        _require_sequences(built, read["model_config"])
        if "rl_module_spec" not in read:  # modules of users may have other keys
            for key in read["model_config"]:
                require_known("key of model_config", key, vars(DefaultModelConfig()))
    return read


def _read(built: Any, name: str, value: Any, steps: int) -> Any:
    if name in _CLASSES and isinstance(value, str):
        return _load_class(name, value, _CLASSES[name])
    default = getattr(built, name, None)
    if name in _SCHEDULED and isinstance(value, Mapping):
        first, last = linear_ends(name, value)
        return [[0, first], [steps, last]]
    is_number = type(default) in (int, float)
    wrong = is_number and isinstance(value, str | bool | Mapping)
    wrong = wrong or (isinstance(default, bool) and not isinstance(value, bool))
    texts = isinstance(default, str) or "str" in _annotation(built, name) or name in _CLASSES
    if wrong or (isinstance(value, str) and not texts):
        expected = type(default).__name__ if default is not None else _annotation(built, name)
        raise ParameterError(f"{name}={value!r} is not of type {expected}")
    if name in _CLASSES:
        raise ParameterError(f"{name}={value!r} is not a class, as module:Class or file.py:Class")
    return value


def _annotation(built: Any, name: str) -> str:
    """Return the text of RLlib's annotation of a property; `str` if there is none."""
    for kind in type(built).__mro__:
        for method in ("training", "learners", "env_runners"):
            if method in vars(kind):
                found = inspect.signature(vars(kind)[method]).parameters.get(name)
                if found is not None:
                    return inspect.formatannotation(found.annotation)
    return "str"


def _load_class(name: str, place: str, base: type) -> Any:
    """Return a class of a user; classes of files are sent to env runners by their code."""
    found = load_named(name, place, base)
    if place.rpartition(":")[0].endswith(".py"):
        register: Any = ray.cloudpickle.register_pickle_by_value  # without types
        register(sys.modules[found.__module__])
    return found


def apply_hyperparameters(built: Any, config: RunConfig) -> None:
    """Set properties of an algorithm's configuration by name."""
    for name, value in read_hyperparameters(built, config).items():
        if name == "model_config":
            built.rl_module(model_config=value)
        elif name == "learner_class":
            built.learners(learner_class=value)
        elif name == "callbacks":
            present = built.callbacks_class
            built.callbacks([*(present if isinstance(present, list) else [present]), value])
        elif name == "rl_module_spec":
            _set_modules(built, value)
        else:
            built.update_from_dict({name: copy.deepcopy(value)})


def _set_modules(built: Any, module: type[RLModule]) -> None:
    """Let all policies have a module of a class; a best response has at most one specification."""
    present = built._rl_module_spec  # the public property returns a copy
    if present is None:
        present = RLModuleSpec()
        built.rl_module(rl_module_spec=present)
    several = isinstance(present, MultiRLModuleSpec)
    for spec in present.rl_module_specs.values() if several else [present]:
        needed = spec.module_class
        if needed is not None and not issubclass(module, needed):
            raise ParameterError(
                f"rl_module_spec: the environment has action masks, so {module.__name__} has to be "
                f"a subclass of {needed.__module__}.{needed.__name__}"
            )
        spec.module_class = module


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

    On a machine, Ray gets at least the needed number of CPUs.
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


def build_algorithm(built: Any, address: str | None) -> tuple[Any, contextlib.ExitStack]:
    """Build an algorithm on the running Ray or on a new one.

    The stack ends Ray if it was started.
    """
    with contextlib.ExitStack() as session:
        needed = cpus_of(built)
        session.enter_context(ray_session(address, needed))
        require_cpus(needed)
        return built.build_algo(), session.pop_all()


def require_cpus(needed: float) -> None:
    """Wait briefly for free CPUs; RLlib would wait endlessly."""
    deadline = running_time() + _PATIENCE_S
    cluster: Any = ray  # its functions have no types
    while (free := cluster.available_resources().get("CPU", 0.0)) < needed:
        if running_time() > deadline or cluster.cluster_resources().get("CPU", 0.0) < needed:
            raise ParameterError(f"the run needs {needed:g} CPUs; Ray has {free:g} free")
        time.sleep(0.1)
