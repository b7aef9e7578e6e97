# SPDX-License-Identifier: GPL-2.0-only
"""One agent that learns with RLlib in a Gymnasium environment."""

from __future__ import annotations

import contextlib
import copy
import logging
import math
from pathlib import Path
from typing import Any

import gymnasium
import torch
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core import COMPONENT_RL_MODULE, DEFAULT_MODULE_ID
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from defiance_zoo.bridge.codec.masks import MASK
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.libraries import require_known
from defiance_zoo.experiments.training.features import refuse_features
from defiance_zoo.experiments.training.rllib.cluster import build_algorithm, ray_session
from defiance_zoo.experiments.training.rllib.hyperparameters import (
    apply_hyperparameters,
    count_decisions,
)
from defiance_zoo.experiments.training.rllib.policy import PolicySetup, RLlibPolicy, load_module
from defiance_zoo.experiments.training.single_agent import (
    SCORE,
    SingleAgentSetup,
    SingleAgentTrainer,
)
from defiance_zoo.experiments.training.trainer import Iteration
from defiance_zoo.wrappers.rllib.config import ALGORITHMS
from defiance_zoo.wrappers.rllib.masks import MaskedPPOModule
from defiance_zoo.wrappers.rllib.policies import PolicyMapping
from defiance_zoo.wrappers.rllib.spaces import Encoding

_SETUP, _SHARED = "policies.pkl", "shared"
_RUN = "learner_group/learner/rl_module"
"""The path of modules in checkpoints of runs."""


class EncodedEnv(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment with encoded spaces for RLlib's networks; see `Encoding`."""

    def __init__(self, config: dict[str, Any]) -> None:
        """Make the environment.

        Args:
            config: `make`, which makes the environment, and `encoding`, its `Encoding`.
        """
        super().__init__(config["make"]())
        self._encoding: Encoding = config["encoding"]
        self.observation_space = self._encoding.observation_space
        self.action_space = self._encoding.action_space

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """See `gymnasium.Env`."""
        observation, info = self.env.reset(**arguments)
        return self._encoding.observation(observation, info), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """See `gymnasium.Env`."""
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
        """Log the score of an episode."""
        score = episode.get_infos(-1).get(SCORE)
        if score is not None:
            window = env_runner.config.metrics_num_episodes_for_smoothing
            metrics_logger.log_value(SCORE, float(score), window=window)


class RLlibSingleAgentTrainer(SingleAgentTrainer):
    """See `SingleAgentTrainer`; uses an algorithm of RLlib."""

    def __init__(self, setup: SingleAgentSetup) -> None:
        """Build the algorithm, on the running Ray or on a new one that `close()` ends."""
        logging.getLogger("ray.rllib").setLevel(logging.ERROR)
        self._encoding, built = _configure(setup)
        self._algorithm, self._session = build_algorithm(built, setup.ray_address, setup.runners)
        self._kept: Any = None

    @classmethod
    def create(cls, setup: SingleAgentSetup) -> RLlibSingleAgentTrainer:
        """See `SingleAgentTrainer.create`."""
        torch.set_num_threads(setup.threads)
        return cls(setup)

    @classmethod
    def session(cls, setup: SingleAgentSetup) -> contextlib.AbstractContextManager[None]:
        """Keep Ray running in a context, and end it if this call started it."""
        return ray_session(setup.ray_address, setup.runners)

    def iterate(self) -> Iteration:
        """Sample and learn once."""
        result = self._algorithm.train()
        runners = result.get("env_runners", {})
        known = {
            "return/mean": runners.get("episode_return_mean"),
            "length/mean": runners.get("episode_len_mean"),
            SCORE: runners.get(SCORE),
        }
        for policy, values in result.get("learners", {}).items():
            for name, value in values.items() if policy == DEFAULT_MODULE_ID else ():
                known[f"{'loss' if 'loss' in name else 'learner'}/{name}"] = value
        numbers = {k: v for k, v in known.items() if isinstance(v, int | float)}
        return Iteration(
            steps=int(runners.get("num_env_steps_sampled_lifetime", 0)),
            episodes=int(runners.get("num_episodes_lifetime", 0)),
            metrics={name: float(v) for name, v in numbers.items() if not math.isnan(v)},
        )

    def start_from(self, folder: Path) -> None:
        """See `SingleAgentTrainer.start_from`."""
        refuse_features(folder)
        module = load_module(_find_module(folder.resolve()))
        own = self._module()
        if type(module) is not type(own) or _shapes(module) != _shapes(own):
            raise ParameterError(f"the policy in {folder} has other networks than this one")
        weights = {DEFAULT_MODULE_ID: module.get_state()}
        group = self._algorithm.learner_group
        group.set_state({"learner": {COMPONENT_RL_MODULE: weights}})
        self._algorithm.env_runner_group.sync_weights(
            from_worker_or_learner_group=group, inference_only=True
        )

    def keep(self) -> None:
        """See `SingleAgentTrainer.keep`."""
        self._kept = self._module()

    def save_policy(self, folder: Path) -> None:
        """See `SingleAgentTrainer.save_policy`."""
        module = self._module() if self._kept is None else self._kept
        module.save_to_path(folder.resolve() / _SHARED)
        PolicySetup(PolicyMapping("shared"), {_SHARED: self._encoding}).save(folder / _SETUP)

    def close(self) -> None:
        """End the algorithm, its simulations and, if this object started it, Ray."""
        algorithm, self._algorithm = self._algorithm, None
        if algorithm is not None:
            algorithm.stop()
            self._session.close()

    @classmethod
    def load_policy(cls, folder: Path) -> RLlibPolicy:
        """See `SingleAgentTrainer.load_policy`."""
        return RLlibPolicy.from_folder(PolicySetup.load(folder / _SETUP), folder.resolve())

    def _module(self) -> Any:
        """Return a copy of the learning module, including parts for training only."""
        group = self._algorithm.learner_group
        (module, *_) = [each.get() for each in group.foreach_learner(_copy_module)]
        return module


def _configure(setup: SingleAgentSetup) -> tuple[Encoding, Any]:
    require_known("algorithm of rllib", setup.algorithm, ALGORITHMS)
    env = setup.env()
    try:
        encoding = Encoding(
            env.observation_space, env.action_space, masks_in_infos=_has_masks(setup, env)
        )
    finally:
        env.close()  # type: ignore[no-untyped-call] # Gymnasium's
    if not isinstance(encoding.action_space, ALGORITHMS[setup.algorithm].actions):
        raise ParameterError(f"{setup.algorithm} is not for actions of {env.action_space}")
    built: Any = ALGORITHMS[setup.algorithm].config()
    built = (
        built.environment(
            EncodedEnv,
            env_config={"make": setup.env, "encoding": encoding},
            normalize_actions=False,
            clip_actions=False,
        )
        .env_runners(num_env_runners=setup.runners, num_envs_per_env_runner=setup.simulations)
        .learners(num_learners=0)
        .callbacks(ScoreMetrics)
        .debugging(seed=setup.seed, log_level="ERROR")
        .fault_tolerance(restart_failed_env_runners=True)
    )
    if encoding.masked:
        if setup.algorithm != "PPO":
            raise ParameterError(f"{setup.algorithm} cannot use action masks; PPO can")
        built.rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedPPOModule))
    count_decisions(built)
    apply_hyperparameters(built, setup.hyperparameters)
    return encoding, built


def _has_masks(setup: SingleAgentSetup, env: gymnasium.Env[Any, Any]) -> bool:
    """Return whether the first episode's infos hold masks, which only PPO uses."""
    if setup.algorithm != "PPO" or not isinstance(env.action_space, gymnasium.spaces.Discrete):
        return False
    return MASK in env.reset(seed=setup.seed)[1]


def _copy_module(learner: Any) -> Any:
    return copy.deepcopy(learner.module[DEFAULT_MODULE_ID].unwrapped())


def _shapes(module: Any) -> dict[str, tuple[int, ...]]:
    return {name: tuple(each.shape) for name, each in module.state_dict().items()}


def _find_module(folder: Path) -> Path:
    """Return the folder of a module.

    Args:
        folder: Folder of a stored policy, or of a run's trainer with one policy.

    Raises:
        ParameterError: The folder is neither of these.
    """
    if (folder / _SHARED).is_dir():
        return folder / _SHARED
    run = folder / _RUN
    modules = [each for each in run.iterdir() if each.is_dir()] if run.is_dir() else []
    if len(modules) != 1:
        raise ParameterError(f"{folder} holds {len(modules)} policies of RLlib, not one")
    return modules[0]
