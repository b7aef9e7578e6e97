# SPDX-License-Identifier: GPL-2.0-only
"""Environments in which one agent of a game learns with Stable-Baselines3."""

from __future__ import annotations

from typing import Any

import gymnasium
from stable_baselines3.common.vec_env import DummyVecEnv

from defiance_zoo.bridge.codec.masks import MASK, Mask, read_mask
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.trainer import MakeEnv
from defiance_zoo.wrappers.sb3.zero_based_actions import to_agent, zero_based


class _ZeroBasedEnv(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment with actions and masks in the form of SB3."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self.action_space = zero_based(env.action_space)
        self._last: tuple[Any, dict[str, Any]] = None, {}

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        self._last = self.env.reset(**arguments)
        return self._last

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        chosen = to_agent(self.action_space, action)
        step = self.env.step(int(chosen) if chosen.ndim == 0 else chosen)
        self._last = step[0], step[-1]
        return step

    def action_masks(self) -> Mask:
        """Return the choices that are allowed now, for MaskablePPO."""
        mask = read_mask("the agent", self.env.action_space, *self._last)
        if mask is None:
            raise ParameterError(f"MaskablePPO needs an {MASK!r}; use PPO")
        return mask


class BestResponseVecEnv(DummyVecEnv):
    """Copies of a Gymnasium environment, with the counters that `SB3Trainer` reads."""

    waited_s = simulated_s = 0.0  # unknown

    def __init__(self, make: MakeEnv, count: int) -> None:
        super().__init__([lambda: _ZeroBasedEnv(make())] * count)
        self.agents = ["agent"] * count
        self.episodes = 0

    @property
    def failures(self) -> int:
        """The number of lost simulations."""
        return sum(each.count for each in self.get_attr("losses"))

    def take_losses(self) -> list[str]:
        """Return the messages of the lost simulations since the last call."""
        return [message for each in self.get_attr("losses") for message in each.take()]

    def step_wait(self) -> Any:
        """See `VecEnv`; count episodes, and raise errors of simulations that last."""
        step = super().step_wait()
        for each in self.get_attr("losses") if step[2].any() else ():
            if each.lasting is not None:
                raise each.lasting
        self.episodes += int(step[2].sum())
        return step
