# SPDX-License-Identifier: GPL-2.0-only
"""Infos that TorchRL can store: names and shapes are equal at each step."""

from __future__ import annotations

from typing import Any

from pettingzoo import ParallelEnv
from pettingzoo.utils.wrappers import BaseParallelWrapper

Infos = dict[str, dict[str, Any]]


class FixedInfos(BaseParallelWrapper[str, Any, Any]):
    """A parallel environment with few infos, for TorchRL's `PettingZooWrapper`.

    TorchRL makes a tensor of each info of the first reset. It raises an error for texts, for lists
    whose length changes and for infos that appear later. This wrapper keeps `deciding`,
    `sim_time_ns` and the infos that the caller names. It keeps `action_mask` if the observation has
    none.

    TorchRL stores infos as float32, so `sim_time_ns` is exact to seven digits.
    """

    def __init__(self, env: ParallelEnv[str, Any, Any], *names: str) -> None:
        """Wrap an environment.

        Args:
            env: The result of `make(..., api="parallel")`.
            *names: Infos to keep. All agents must have them at each step, as numbers or as arrays
                of one shape.
        """
        super().__init__(env)
        self._names = {"deciding", "sim_time_ns", *names}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], Infos]:
        observations, infos = super().reset(seed, options)
        return observations, self._keep(infos, observations)

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        observations, rewards, terminations, truncations, infos = super().step(actions)
        kept = self._keep(infos, observations)
        return observations, rewards, terminations, truncations, kept

    def _keep(self, infos: Infos, observations: dict[str, Any]) -> Infos:
        return {
            agent: {
                name: value
                for name, value in info.items()
                if name in self._names
                or (name == "action_mask" and not _has_mask(observations[agent]))
            }
            for agent, info in infos.items()
        }


def _has_mask(observation: Any) -> bool:
    return isinstance(observation, dict) and "action_mask" in observation
