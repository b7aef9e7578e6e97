# SPDX-License-Identifier: GPL-2.0-only
"""Stable-Baselines3: buffers of decisions, for steps in which some rows do not decide.

SB3 treats each row of each step as a decision. In a `SharedPolicyVecEnv`, rows of agents that have
ended, or do not decide in the round, are not decisions. These buffers leave out such rows, and
connect a decision with the reward and observation at the agent's next decision.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableDictRolloutBuffer, MaskableRolloutBuffer
from stable_baselines3.common.buffers import (
    DictReplayBuffer,
    DictRolloutBuffer,
    ReplayBuffer,
    RolloutBuffer,
)
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.vec_env import VecEnv

from defiance_zoo.errors import ParameterError
from defiance_zoo.wrappers.sb3.vectors import Decisions, SharedPolicyVecEnv

_PARTS = ("actions", "values", "log_probs", "advantages", "returns")


class _DecisionRollout:
    """Makes a rollout buffer leave out rows without a decision or without a known outcome.

    The outcome of an agent's last decision in a rollout is unknown until the next decision.
    """

    def __init__(self, *arguments: Any, decisions: Decisions, **settings: Any) -> None:
        self._decisions = decisions
        super().__init__(*arguments, **settings)

    def reset(self: Any) -> None:
        """Discard the last rollout."""
        self.acted = np.zeros((self.buffer_size, self.n_envs), np.bool_)
        self.known = np.zeros((self.buffer_size, self.n_envs), np.bool_)
        super().reset()  # type: ignore[misc] # of the buffer's class

    def add(self: Any, *arguments: Any, **masks: Any) -> None:
        """Add a step; see `RolloutBuffer.add`."""
        self.acted[self.pos] = self._decisions.acted
        super().add(*arguments, **masks)  # type: ignore[misc]

    def compute_returns_and_advantage(self: Any, last_values: Any, dones: Any) -> None:
        """Compute GAE(lambda) from decision to decision of each agent."""
        ends = np.concatenate([self.episode_starts[1:] > 0, np.asarray(dones)[None]])
        following = last_values.clone().cpu().numpy().flatten()
        continues = self._decisions.deciding.astype(np.float32)  # 0: later rewards do not count
        known = self._decisions.deciding.copy()
        earned, advantage = np.zeros_like(following), np.zeros_like(following)
        for step in reversed(range(self.buffer_size)):
            end, acted, values = ends[step], self.acted[step], self.values[step]
            earned = np.where(end, 0, earned) + self.rewards[step]
            continues, known = np.where(end, 0, continues), known | end
            delta = earned + self.gamma * continues * following - values
            found = delta + self.gamma * self.gae_lambda * continues * advantage
            advantage = np.where(acted, np.where(known, found, 0), advantage)
            self.advantages[step], self.known[step] = advantage, acted & known
            following, earned = np.where(acted, values, following), np.where(acted, 0, earned)
            continues, known = np.where(acted, 1, continues), known | acted
        self.returns = self.advantages + self.values

    def get(self: Any, batch_size: int | None = None) -> Generator[Any, None, None]:
        """Yield all decisions in random order; avoid batches of a single decision."""
        if not self.generator_ready:
            self._keep_known()
            self.generator_ready = True
        count = len(self.values)
        order, size = np.random.permutation(count), batch_size or count
        starts = list(range(0, count, size))
        if len(starts) > 1 and count - starts[-1] == 1:
            starts.pop()  # a single advantage cannot be normalised
        for start, stop in zip(starts, [*starts[1:], count], strict=True):
            yield self._get_samples(order[start:stop])

    def _keep_known(self: Any) -> None:
        known = self.swap_and_flatten(self.known)[:, 0]
        if not self.acted.any():
            raise ParameterError(
                f"in {self.buffer_size} rounds no agent has decided: see the warning NobodyDecided"
            )
        if not known.any():
            raise ParameterError(
                f"in {self.buffer_size} rounds no agent has decided twice: increase n_steps"
            )
        observations = self.observations
        if isinstance(observations, dict):
            for key, part in observations.items():
                observations[key] = self.swap_and_flatten(part)[known]
        else:
            self.observations = self.swap_and_flatten(observations)[known]
        for name in (*_PARTS, *(["action_masks"] if hasattr(self, "action_masks") else [])):
            setattr(self, name, self.swap_and_flatten(getattr(self, name))[known])


class DecisionRolloutBuffer(_DecisionRollout, RolloutBuffer):
    """For PPO, A2C and the like."""


class DecisionDictRolloutBuffer(_DecisionRollout, DictRolloutBuffer):
    """For PPO, A2C and the like, with observations in a dict."""


class DecisionMaskableRolloutBuffer(_DecisionRollout, MaskableRolloutBuffer):
    """For MaskablePPO."""


class DecisionMaskableDictRolloutBuffer(_DecisionRollout, MaskableDictRolloutBuffer):
    """For MaskablePPO, with observations in a dict."""


class _DecisionReplay:
    """Makes a replay buffer store transitions from one decision of an agent to the next."""

    def __init__(
        self, size: int, observations: Any, actions: Any, n_envs: int, **settings: Any
    ) -> None:
        super().__init__(size, observations, actions, n_envs=1, **settings)  # type: ignore[call-arg]
        self._open: list[Any] = [None] * n_envs

    def add(
        self, obs: Any, next_obs: Any, action: Any, reward: Any, done: Any, infos: list[Any]
    ) -> None:
        """Add a step; see `ReplayBuffer.add`."""
        for row, info in enumerate(infos):
            if info["after_reset"]:
                self._open[row] = None  # of the episode that the reset broke off
            if info["acted"]:
                self._open[row] = [_row(obs, row), _row(action, row), 0.0]
            if self._open[row] is None:
                continue
            self._open[row][2] += reward[row]
            if done[row] or info["deciding"]:
                first, taken, earned = self._open[row]
                self._open[row] = None
                super().add(  # type: ignore[misc]
                    first,
                    _row(next_obs, row),
                    taken,
                    np.array([earned]),
                    done[row : row + 1],
                    [info],
                )


class DecisionReplayBuffer(_DecisionReplay, ReplayBuffer):
    """For DQN, SAC and the like."""


class DecisionDictReplayBuffer(_DecisionReplay, DictReplayBuffer):
    """For DQN, SAC and the like, with observations in a dict."""


def _row(batch: Any, row: int) -> Any:
    if isinstance(batch, dict):
        return {key: part[row : row + 1].copy() for key, part in batch.items()}
    return batch[row : row + 1].copy()


def decisions_only(algorithm: type[Any], env: VecEnv) -> dict[str, Any]:
    """Return arguments that make an algorithm learn only from decisions.

    Args:
        algorithm: An algorithm such as `PPO` or `DQN`.
        env: A vector with a `SharedPolicyVecEnv` inside.

    Returns:
        Arguments for the algorithm: `PPO("MlpPolicy", env, **decisions_only(PPO, env))`.

    Raises:
        ParameterError: There is no `SharedPolicyVecEnv` inside.
    """
    shared = env.unwrapped
    if not isinstance(shared, SharedPolicyVecEnv):
        raise ParameterError(f"{shared} is not a vector of agents that share a policy")
    in_dict = isinstance(env.observation_space, spaces.Dict)
    if issubclass(algorithm, OffPolicyAlgorithm):
        replay = DecisionDictReplayBuffer if in_dict else DecisionReplayBuffer
        return {"replay_buffer_class": replay}
    if issubclass(algorithm, MaskablePPO):
        rollout: Any = (
            DecisionMaskableDictRolloutBuffer if in_dict else DecisionMaskableRolloutBuffer
        )
    else:
        rollout = DecisionDictRolloutBuffer if in_dict else DecisionRolloutBuffer
    settings = {"decisions": shared.decisions}
    return {"rollout_buffer_class": rollout, "rollout_buffer_kwargs": settings}
