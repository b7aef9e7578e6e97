# SPDX-License-Identifier: GPL-2.0-only
"""Stable-Baselines3 with SuperSuit's wrappers: a parallel environment as a vector."""

from __future__ import annotations

from typing import Any

import supersuit
from stable_baselines3.common.vec_env import VecEnv, VecMonitor
from supersuit.vector import MarkovVectorEnv
from supersuit.vector.sb3_vector_wrapper import SB3VecEnvWrapper

from defiance_zoo.bridge.system.plain_values import plain_seed
from defiance_zoo.environments import lookup
from defiance_zoo.wrappers.sb3.zero_based_actions import Space, to_agent, zero_based


class _SB3VecEnv(SB3VecEnvWrapper):  # type: ignore[misc] # supersuit has no types
    """SuperSuit's adapter with `seed()` and `get_attr()`, which SB3 calls and SuperSuit lacks."""

    _seed: int | None = None

    def __init__(self, venv: MarkovVectorEnv) -> None:
        super().__init__(venv)
        self.action_space: Space = zero_based(venv.action_space)

    def step_async(self, actions: Any) -> None:
        super().step_async(to_agent(self.action_space, actions))

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the vector once for each agent."""
        return [getattr(self.venv, attr_name)] * self.num_envs

    def seed(self, seed: int | None = None) -> list[int | None]:
        self._seed = seed
        return [seed] * self.num_envs

    def reset(self) -> Any:
        seed, self._seed = self._seed, None
        return self.venv.reset(seed=seed)[0]


def make_supersuit_vec_env(name: str, *, seed: int | None = None, **arguments: Any) -> VecEnv:
    """Return the agents of one simulation as a vector, by SuperSuit's conversions.

    Agents that have ended observe zeros until the last agent has ended (`black_death`); the episode
    then has one more step.

    Args:
        name: Name of an environment whose agents have equal spaces.
        seed: Seed of the first reset.
        **arguments: As for `defiance_zoo.make`.

    Raises:
        ParameterError: An argument is unknown or not allowed.
    """
    seed = plain_seed(seed)
    parallel = supersuit.black_death_v3(lookup(name).parallel_env(**arguments))
    vec_env = _SB3VecEnv(MarkovVectorEnv(parallel))
    vec_env.seed(seed)
    return VecMonitor(vec_env)
