# SPDX-License-Identifier: GPL-2.0-only
"""The whole state of SB3's training, in a folder.

`model.zip`, `replay_buffer.pkl` and `normalize.pkl` are SB3's files; `state.pkl` has the rest. They
hold pickles, so they are loaded only from private copies; see `origin`.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.save_util import load_from_zip_file, recursive_setattr
from stable_baselines3.common.vec_env import (
    VecEnv,
    VecMonitor,
    VecNormalize,
    unwrap_vec_wrapper,
)

from defiance_zoo.experiments.training.sb3.policy import SB3Policy
from defiance_zoo.experiments.training.sb3.residual import ResidualVecEnv
from defiance_zoo.experiments.workbench.origin import load_pickle, opened
from defiance_zoo.wrappers.sb3 import FeatureVecEnv

_OF_MODEL = (
    "num_timesteps",
    "action_noise",
    "action_space",  # an algorithm that explores with its own generator
    "ep_info_buffer",
    "ep_success_buffer",
    "exploration_rate",
    "_current_progress_remaining",
    "_episode_num",
    "_last_episode_starts",
    "_last_lstm_states",
    "_last_obs",
    "_last_original_obs",
    "_n_calls",
    "_n_updates",
)
_OF_MONITOR = ("episode_count", "episode_lengths", "episode_returns")
_OF_NORMALIZE = ("obs_rms", "old_obs", "old_reward", "ret_rms", "returns")


def save(folder: Path, model: Any, states: dict[str, Any]) -> None:
    """Write the state of a model and its environment."""
    model.save(folder / "model")
    if isinstance(model, OffPolicyAlgorithm):
        model.save_replay_buffer(folder / "replay_buffer")
    monitor, features, normalize, residual = _wrappers(model.env)
    if normalize is not None:
        normalize.save(str(folder / "normalize.pkl"))
    state = {
        **states,
        "model": _read(model, _OF_MODEL),
        "monitor": _read(monitor, _OF_MONITOR),
        "normalize": _read(normalize, _OF_NORMALIZE),
        "features": None if features is None else features.state_dict(),
        "residual": None if residual is None else residual.state_dict(),
        "simulations": model.env.unwrapped.state_dict(),
    }
    (folder / "state.pkl").write_bytes(pickle.dumps(state))


def restore(folder: Path, model: Any) -> dict[str, Any]:
    """Restore an equal model and its environment; return the further states of `save()`."""
    state: dict[str, Any] = load_pickle(folder / "state.pkl")
    _, parameters, variables = load_from_zip_file(
        opened(folder / "model.zip"), device=model.device, load_data=False
    )
    model.set_parameters(parameters, device=model.device)
    for name, value in (variables or {}).items():
        if value is not None:
            recursive_setattr(model, f"{name}.data", value.data)
    if isinstance(model, OffPolicyAlgorithm):
        model.load_replay_buffer(opened(folder / "replay_buffer.pkl"))
    monitor, features, normalize, residual = _wrappers(model.env)
    rows = state.pop("features", None)
    if features is not None:
        features.load_state_dict(rows)
    model.env.unwrapped.load_state_dict(state.pop("simulations"))
    choices = state.pop("residual", None)
    if residual is not None:
        residual.load_state_dict(choices)
    for target, part in ((model, "model"), (monitor, "monitor"), (normalize, "normalize")):
        for name, value in state.pop(part).items():
            setattr(target, name, value)
    return state


def load_policy(folder: Path, algorithm: Any) -> SB3Policy:
    """Return the policy of a folder that `save()` wrote."""
    room = {"buffer_size": 1} if issubclass(algorithm, OffPolicyAlgorithm) else {}
    model = algorithm.load(opened(folder / "model.zip"), device="cpu", **room)
    normalize = folder / "normalize.pkl"
    kept = load_pickle(normalize) if normalize.exists() else None
    return SB3Policy(model.policy, kept)


def _wrappers(env: VecEnv) -> list[Any]:
    """Return the monitor, and the wrappers for features, normalisation and residuals, or None."""
    kinds = VecMonitor, FeatureVecEnv, VecNormalize, ResidualVecEnv
    return [unwrap_vec_wrapper(env, kind) for kind in kinds]


def _read(target: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(target, name) for name in names if hasattr(target, name)}
