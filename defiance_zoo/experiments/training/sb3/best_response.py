# SPDX-License-Identifier: GPL-2.0-only
"""One agent that learns with Stable-Baselines3 in a Gymnasium environment."""

from __future__ import annotations

import json
import pkgutil
import statistics
from pathlib import Path
from typing import Any

import gymnasium
import torch
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from defiance_zoo.bridge.codec.masks import MASK, Mask, read_mask
from defiance_zoo.bridge.system.reading import read_json
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.training.features import refuse_features
from defiance_zoo.experiments.training.sb3.algorithms import algorithm, hyperparameters
from defiance_zoo.experiments.training.sb3.policy import SB3Policy
from defiance_zoo.experiments.training.sb3.trainer import policy_name
from defiance_zoo.experiments.training.single_agent import (
    SCORE,
    SingleAgentSetup,
    SingleAgentTrainer,
)
from defiance_zoo.experiments.training.trainer import Iteration
from defiance_zoo.experiments.workbench.origin import opened
from defiance_zoo.wrappers.sb3.zero_based_actions import to_agent, zero_based

_DECISIONS = 256
"""Decisions in an iteration of an off-policy algorithm; other algorithms take one rollout."""

_POLICY, _FACTS = "policy.pt", "policy.json"


class _SB3Env(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment with actions and masks in the form of SB3."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        """Take over an environment; actions count from 0."""
        super().__init__(env)
        self.action_space = zero_based(env.action_space)
        self._last: tuple[Any, dict[str, Any]] = None, {}

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """See `gymnasium.Env`."""
        self._last = self.env.reset(**arguments)
        return self._last

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """See `gymnasium.Env`."""
        chosen = to_agent(self.action_space, action)
        step = self.env.step(int(chosen) if chosen.ndim == 0 else chosen)
        self._last = step[0], step[-1]
        return step

    def action_masks(self) -> Mask:
        """Return the choices that are allowed now, for MaskablePPO.

        Raises:
            InvalidMask: The mask does not fit the action space.
            ParameterError: The environment has no masks.
        """
        mask = read_mask("the agent", self.env.action_space, *self._last)
        if mask is None:
            raise ParameterError(f"MaskablePPO needs an {MASK!r}; use PPO")
        return mask


class SB3SingleAgentTrainer(SingleAgentTrainer):
    """See `SingleAgentTrainer`; does the work of SB3's `learn()` in parts."""

    def __init__(self, setup: SingleAgentSetup) -> None:
        """Make the environments and the model."""
        given = dict(setup.hyperparameters)
        config = RunConfig(env="", algorithm=setup.algorithm, hyperparameters=given, runners=0)
        chosen = algorithm(config)
        vec = DummyVecEnv([lambda: _SB3Env(setup.env())] * setup.simulations)
        self._env = VecMonitor(vec, info_keywords=(SCORE,))
        try:
            policy = policy_name(setup.algorithm, self._env.observation_space)
            arguments = {"policy": policy, **hyperparameters(config)}
            self._model: Any = chosen(env=self._env, seed=setup.seed, **arguments)
        except (AssertionError, TypeError, ValueError) as error:
            self._env.close()
            raise ParameterError(f"{setup.algorithm}: {error}") from error
        self._model.set_logger(Logger(folder=None, output_formats=[]))
        self._kept: SB3Policy | None = None

    @classmethod
    def create(cls, setup: SingleAgentSetup) -> SB3SingleAgentTrainer:
        """See `SingleAgentTrainer.create`."""
        torch.set_num_threads(setup.threads)
        return cls(setup)

    def iterate(self) -> Iteration:
        """Collect and learn."""
        model = self._model
        off_policy = isinstance(model, OffPolicyAlgorithm)
        model.learn(_DECISIONS if off_policy else 1, reset_num_timesteps=False)
        ended = model.ep_info_buffer or ()
        found = {"return/mean": "r", "length/mean": "l", SCORE: SCORE}
        metrics = {
            name: statistics.fmean(float(each[key]) for each in ended)
            for name, key in found.items()
            if ended
        }
        return Iteration(model.num_timesteps, self._env.episode_count, metrics)

    def start_from(self, folder: Path) -> None:
        """See `SingleAgentTrainer.start_from`."""
        refuse_features(folder)
        own = self._model.policy
        try:
            if (folder / _POLICY).is_file():
                weights = self.load_policy(folder).network.state_dict()
            else:
                model = type(self._model).load(opened(folder / "model.zip"), device="cpu")
                weights = model.policy.state_dict()
            own.load_state_dict(weights)
        except (OSError, RuntimeError, ValueError) as error:
            raise ParameterError(
                f"the policy in {folder} has other networks than this one: {error}"
            ) from error

    def keep(self) -> None:
        """See `SingleAgentTrainer.keep`."""
        self._kept = SB3Policy.copy_of(self._model.policy, None)

    def save_policy(self, folder: Path) -> None:
        """See `SingleAgentTrainer.save_policy`."""
        # Always a copy, because pickles of a copy and of the original differ.
        kept = self._kept or SB3Policy.copy_of(self._model.policy, None)
        network, kind = kept.network, type(kept.network)
        network.save(str(folder / _POLICY))
        facts = {"class": f"{kind.__module__}:{kind.__qualname__}"}
        (folder / _FACTS).write_text(json.dumps(facts))

    def close(self) -> None:
        """End all simulations; may be called again."""
        self._env.close()

    @classmethod
    def load_policy(cls, folder: Path) -> SB3Policy:
        """See `SingleAgentTrainer.load_policy`."""
        name = read_json(opened(folder / _FACTS))["class"]
        kind = pkgutil.resolve_name(name)
        assert issubclass(kind, BasePolicy)
        return SB3Policy(kind.load(str(opened(folder / _POLICY)), device="cpu"), None)
