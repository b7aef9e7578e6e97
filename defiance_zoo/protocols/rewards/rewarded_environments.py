# SPDX-License-Identifier: GPL-2.0-only
"""Wrappers of environments with rewards of bonuses."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
from pettingzoo import ParallelEnv
from pettingzoo.utils.wrappers import BaseParallelWrapper

from defiance_zoo.bridge.codec.masks import Mask, read_mask
from defiance_zoo.bridge.codec.values import copy_containers
from defiance_zoo.environments.arguments import require_mapping
from defiance_zoo.errors import InvalidReward, ParameterError
from defiance_zoo.protocols.rewards.bonuses import Bonus, Info


class Rewarded:
    """Adds up bonuses, and keeps their states; the common part of all wrappers."""

    _bonuses: tuple[Bonus, ...]
    _keeps_reward: bool
    _infos: dict[str, Info]
    _acted: dict[str, Any]

    def _prepare(self, bonuses: Sequence[Bonus], keep_reward: bool) -> None:
        if not bonuses:
            raise ParameterError("give at least one bonus")
        self._bonuses, self._keeps_reward, self._infos = tuple(bonuses), keep_reward, {}

    def _begin_rewards(self, infos: Mapping[str, Info]) -> None:
        self._infos, self._acted = {}, {}
        for agent, info in infos.items():
            self._join(agent, info)

    def _join(self, agent: str, info: Info) -> None:
        info = self._infos[agent] = dict(info)
        for bonus in self._bonuses:
            bonus.begin(agent, info)

    def _reward(self, agent: str, action: Any, after: Info, own: float) -> float:
        before = self._infos[agent]
        after = self._infos[agent] = dict(after)
        parts = (b.scale * b.of_step(agent, before, action, after) for b in self._bonuses)
        reward = sum(parts, self._own(own))
        if not math.isfinite(reward):
            whom = f" of {agent}" if agent else ""
            raise InvalidReward(
                f"with its bonuses, the reward{whom} is {reward}, which is not a number"
            )
        return reward

    def _rewards(
        self, actions: Mapping[str, Any], own: Mapping[str, float], infos: Mapping[str, Info]
    ) -> dict[str, float]:
        """Return the rewards of a step of several agents; agents without an action have joined.

        The effect of an action may be reported in a later step, when its agent decides again.
        """
        self._acted.update(copy.deepcopy(dict(actions)))
        rewards = {}
        for agent, reward in own.items():
            if agent in self._acted and agent in self._infos:
                action = self._acted.pop(agent)
                rewards[agent] = self._reward(agent, action, infos[agent], reward)
            else:
                self._join(agent, infos[agent])
                rewards[agent] = self._own(reward)
        return rewards

    def _own(self, reward: float) -> float:
        return float(reward) if self._keeps_reward else 0.0

    def get_state(self) -> dict[str, Any]:
        """Return the states of the bonuses, for JSON."""
        return {"bonuses": [bonus.get_state() for bonus in self._bonuses]}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore the result of `get_state()`."""
        states = require_mapping("state", state).get("bonuses", ())
        if len(states) != len(self._bonuses):
            raise ParameterError(f"this is the state of {len(states)} bonuses")
        for bonus, known in zip(self._bonuses, states, strict=True):
            bonus.set_state(known)


class RewardedEnv(Rewarded, gymnasium.Wrapper[Any, Any, Any, Any]):
    """A Gymnasium environment with rewards of bonuses."""

    def __init__(
        self, env: gymnasium.Env[Any, Any], *bonuses: Bonus, keep_reward: bool = True
    ) -> None:
        """Wrap an environment.

        Args:
            env: An environment of one agent, with infos for the bonuses.
            *bonuses: At least one bonus.
            keep_reward: Whether bonuses are added to the environment's reward.

        Raises:
            ParameterError: There is no bonus.
        """
        super().__init__(env)
        self._prepare(bonuses, keep_reward)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(seed=seed, options=options)
        self._begin_rewards({"": info})
        self._observed = copy_containers(observation)
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observation, own, terminated, truncated, info = self.env.step(action)
        reward = self._reward("", action, info, float(own))
        self._observed = copy_containers(observation)
        return observation, reward, terminated, truncated, info

    def action_masks(self) -> Mask:
        """Return the currently allowed choices, shape (choices,), for MaskablePPO.

        Raises:
            InvalidMask: The mask does not fit the action space.
            ParameterError: The environment has no masks.
        """
        mask = read_mask("the agent", self.action_space, self._observed, self._infos[""])
        if mask is None:
            raise ParameterError("the environment has no 'action_mask'")
        return mask


class RewardedParallelEnv(Rewarded, BaseParallelWrapper[str, Any, Any]):
    """A parallel environment with rewards of bonuses, whose states its agents share."""

    def __init__(
        self, env: ParallelEnv[str, Any, Any], *bonuses: Bonus, keep_reward: bool = True
    ) -> None:
        super().__init__(env)
        self._prepare(bonuses, keep_reward)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        observations, infos = self.env.reset(seed=seed, options=options)
        self._begin_rewards(infos)
        return observations, infos

    def step(self, actions: dict[str, Any]) -> Any:
        observations, own, terminated, truncated, infos = self.env.step(actions)
        rewards = self._rewards(actions, own, infos)
        return observations, rewards, terminated, truncated, infos
