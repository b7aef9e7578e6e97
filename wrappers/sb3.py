# SPDX-License-Identifier: GPL-2.0-only
"""Stable-Baselines3: vectorised environments of single agents, or of agents that share a policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import supersuit
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecMonitor
from supersuit.vector import MarkovVectorEnv
from supersuit.vector.sb3_vector_wrapper import SB3VecEnvWrapper

from defiance_zoo.environments import lookup
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv


def make_vec_env(
    name: str, *, n_envs: int = 1, seed: int | None = None, **arguments: Any
) -> VecEnv:
    """Return `n_envs` simulations of a single-agent environment, stepped one after the other.

    Args:
        name: Such as `cart_pole_v0`.
        n_envs: How many.
        seed: Simulation i gets `seed + i` at its first reset.
        **arguments: As for `defiance_zoo.make`.

    Raises:
        NotSingleAgent: The scenario, with these parameters, has not exactly one agent.
        ParameterError: An argument is unknown or not allowed.
    """
    spec = lookup(name)

    def create() -> Monitor[Any, Any]:
        return Monitor(GymnasiumEnv(spec, **arguments))

    factories: list[Callable[[], Any]] = [create] * n_envs
    vec_env = DummyVecEnv(factories)
    vec_env.seed(seed)
    return vec_env


class _SB3VecEnv(SB3VecEnvWrapper):  # type: ignore[misc] # supersuit has no types
    """SuperSuit's adapter with the `seed()` and `get_attr()` that SB3 calls and that it lacks."""

    _seed: int | None = None

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the vector once for each agent."""
        return [getattr(self.venv, attr_name)] * self.num_envs

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Use `seed` at the next reset."""
        self._seed = seed
        return [seed] * self.num_envs

    def reset(self) -> Any:
        """Reset every agent."""
        seed, self._seed = self._seed, None
        return self.venv.reset(seed=seed)[0]


def make_shared_policy_vec_env(name: str, *, seed: int | None = None, **arguments: Any) -> VecEnv:
    """Return the agents of one simulation as the environments of a vector: one policy for all.

    Agents that have ended are fed zeros until the last one has (SuperSuit's `black_death`).

    Args:
        name: Of an environment whose agents have equal spaces.
        seed: For the first reset.
        **arguments: As for `defiance_zoo.make`.

    Raises:
        ParameterError: An argument is unknown or not allowed.
    """
    parallel = supersuit.black_death_v3(lookup(name).parallel_env(**arguments))
    vec_env = _SB3VecEnv(MarkovVectorEnv(parallel))
    vec_env.seed(seed)
    return VecMonitor(vec_env)
