# SPDX-License-Identifier: GPL-2.0-only
"""One agent of a game that learns with RLlib in a Gymnasium environment."""

from __future__ import annotations

import contextlib
import copy
from pathlib import Path
from typing import Any

import gymnasium
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core import COMPONENT_RL_MODULE, DEFAULT_MODULE_ID
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from defiance_zoo.bridge.codec.masks import MASK
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.training.features import SHARED, refuse_features
from defiance_zoo.experiments.training.rllib.policy import PolicySetup, RLlibPolicy, load_module
from defiance_zoo.experiments.training.trainer import SCORE, MakeEnv
from defiance_zoo.wrappers.rllib.config import ALGORITHMS
from defiance_zoo.wrappers.rllib.env import report_losses, require_episodes
from defiance_zoo.wrappers.rllib.masks import MaskedPPOModule
from defiance_zoo.wrappers.rllib.policies import PolicyMapping
from defiance_zoo.wrappers.rllib.spaces import Encoding

_RUN = "learner_group/learner/rl_module"
"""The path of modules in checkpoints of runs."""


class EncodedEnv(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment with encoded spaces for RLlib's networks; see `Encoding`."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__(config["make"]())
        self._encoding: Encoding = config["encoding"]
        self.observation_space = self._encoding.observation_space
        self.action_space = self._encoding.action_space

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(**arguments)
        return self._encoding.observation(observation, info), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        step = self.env.step(self._encoding.action(action))
        observation, reward, terminated, truncated, info = step
        decides = not (terminated or truncated)
        observed = self._encoding.observation(observation, info, decides=decides)
        return observed, reward, terminated, truncated, info


class ScoreMetrics(RLlibCallback):
    """Adds the mean score of the last episodes to `result["env_runners"]`."""

    def on_episode_end(
        self, *, episode: Any, env_runner: Any = None, metrics_logger: Any = None, **_: Any
    ) -> None:
        score = episode.get_infos(-1).get(SCORE)
        if score is not None:
            window = env_runner.config.metrics_num_episodes_for_smoothing
            metrics_logger.log_value(SCORE, float(score), window=window)

    def on_train_result(self, *, algorithm: Any, result: dict[str, Any], **_: Any) -> None:
        report_losses(algorithm, result)

    def on_env_runners_recreated(
        self, *, env_runner_group: Any, env_runner_indices: list[int], **_: Any
    ) -> None:
        require_episodes(env_runner_group, env_runner_indices)


def configure(config: RunConfig, make: MakeEnv) -> tuple[PolicySetup, Any]:
    """Return the setup of the agent's policy, and RLlib's configuration."""
    with contextlib.closing(make()) as env:
        encoding = Encoding(
            env.observation_space, env.action_space, masks_in_infos=_has_masks(config, env)
        )
    if not isinstance(encoding.action_space, ALGORITHMS[config.algorithm].actions):
        raise ParameterError(f"{config.algorithm} is not for actions of {env.action_space}")
    built: Any = ALGORITHMS[config.algorithm].config()
    built = (
        built.environment(
            EncodedEnv,
            env_config={"make": make, "encoding": encoding},
            normalize_actions=False,
            clip_actions=False,
        )
        .learners(num_learners=0)
        .callbacks(ScoreMetrics)
        .fault_tolerance(restart_failed_env_runners=True)
    )
    if encoding.masked:
        if config.algorithm != "PPO":
            raise ParameterError(f"{config.algorithm} cannot use action masks; PPO can")
        built.rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedPPOModule))
    return PolicySetup(PolicyMapping(SHARED), {SHARED: encoding}), built


def _has_masks(config: RunConfig, env: gymnasium.Env[Any, Any]) -> bool:
    """Return whether the first episode's infos hold masks, which only PPO uses."""
    if config.algorithm != "PPO" or not isinstance(env.action_space, gymnasium.spaces.Discrete):
        return False
    return MASK in env.reset(seed=config.seed)[1]


def current_policy(setup: PolicySetup, algorithm: Any) -> RLlibPolicy:
    """Return a copy of the learning policy, including parts for training only."""
    (module, *_) = [each.get() for each in algorithm.learner_group.foreach_learner(_copy_module)]
    return RLlibPolicy(setup, {SHARED: module})


def start_from(setup: PolicySetup, algorithm: Any, folder: Path) -> None:
    """Replace the weights of the learning policy; see `Trainer.start_from`."""
    refuse_features(folder)
    module = load_module(_find_module(folder.resolve()))
    own = current_policy(setup, algorithm).modules[SHARED]
    if type(module) is not type(own) or _shapes(module) != _shapes(own):
        raise ParameterError(f"the policy in {folder} has other networks than this one")
    weights = {DEFAULT_MODULE_ID: module.get_state()}
    group = algorithm.learner_group
    group.set_state({"learner": {COMPONENT_RL_MODULE: weights}})
    algorithm.env_runner_group.sync_weights(from_worker_or_learner_group=group, inference_only=True)


def _copy_module(learner: Any) -> Any:
    return copy.deepcopy(learner.module[DEFAULT_MODULE_ID].unwrapped())


def _shapes(module: Any) -> dict[str, tuple[int, ...]]:
    return {name: tuple(each.shape) for name, each in module.state_dict().items()}


def _find_module(folder: Path) -> Path:
    """Return the folder of a module."""
    if (folder / SHARED).is_dir():
        return folder / SHARED
    run = folder / _RUN
    modules = [each for each in run.iterdir() if each.is_dir()] if run.is_dir() else []
    if len(modules) != 1:
        raise ParameterError(f"{folder} holds {len(modules)} policies of RLlib, not one")
    return modules[0]
