# SPDX-License-Identifier: GPL-2.0-only
"""Stable-Baselines3: vectorised environments of single agents, or of agents that share a policy."""

from __future__ import annotations

from typing import Any

import numpy as np
import supersuit
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv, VecMonitor
from supersuit.vector import MarkovVectorEnv
from supersuit.vector.sb3_vector_wrapper import SB3VecEnvWrapper

from defiance_zoo.environments import SimulationVectorEnv, lookup
from defiance_zoo.errors import ParameterError


class SimulationVecEnv(VecEnv):
    """Simulations of a single-agent environment, in one process, as SB3's vector.

    `infos[i]` holds the scenario's typed infos, `sim_time_ns` and `TimeLimit.truncated`, and at the
    end of an episode `terminal_observation`, as SB3 expects.
    """

    def __init__(self, venv: SimulationVectorEnv) -> None:
        """Take over a vector environment.

        Args:
            venv: With `autoreset_mode="SameStep"`.

        Raises:
            ParameterError: It begins episodes in another way.
        """
        if venv.metadata["autoreset_mode"] is not AutoresetMode.SAME_STEP:
            raise ParameterError("SB3 needs autoreset_mode='SameStep'")
        self._venv = venv
        super().__init__(venv.num_envs, venv.single_observation_space, venv.single_action_space)

    def reset(self) -> Any:
        """Start new episodes, with the seeds and options that were set before."""
        options = self._options[0] if self._options else None
        observations, infos = self._venv.reset(seed=self._seeds, options=options)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = _split(infos, self.num_envs)
        return observations

    def step_async(self, actions: Any) -> None:
        """Let every simulation act, without waiting."""
        self._venv.step_async(actions)

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """Wait for every simulation."""
        observations, rewards, terminations, truncations, batched = self._venv.step_wait()
        final, ends = batched.pop("final_info", {}), batched.pop("final_obs", None)
        infos = _split(batched, self.num_envs)
        dones = terminations | truncations
        told = _split(final, self.num_envs) if final else []
        for info in infos:
            info["TimeLimit.truncated"] = False
        for member in dones.nonzero()[0]:
            infos[member] = {
                **told[member],
                "terminal_observation": ends[member],
                "TimeLimit.truncated": bool(truncations[member]),
            }
        return observations, rewards.astype("float32"), dones, infos

    def close(self) -> None:
        """End all simulations and release everything."""
        self._venv.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the vector, once for each simulation."""
        return [getattr(self._venv, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: simulations have no attributes here.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(f"{attr_name} cannot be set: the environments are ns-3 processes")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Refuse: simulations have no methods here.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(f"{method_name} cannot be called: the environments are ns-3 processes")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Say that no environment is wrapped."""
        return [False] * len(list(self._get_indices(indices)))


def _split(batched: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Return Gymnasium's batched infos one by one."""
    infos: list[dict[str, Any]] = [{} for _ in range(count)]
    for key, values in batched.items():
        if key.startswith("_"):
            continue
        for member in batched[f"_{key}"].nonzero()[0]:
            value = values[member]
            infos[member][key] = value.item() if isinstance(value, np.generic) else value
    return infos


def make_vec_env(
    name: str, *, n_envs: int = 1, seed: int | None = None, **arguments: Any
) -> VecEnv:
    """Return `n_envs` simulations of a single-agent environment, stepped side by side.

    Args:
        name: Such as `cart_pole_v0`.
        n_envs: How many.
        seed: Simulation i gets `seed + i` at its first reset.
        **arguments: As for `defiance_zoo.make_vec`; the link is local unless they say otherwise.

    Raises:
        NotSingleAgent: The scenario, with these parameters, has not exactly one agent.
        ParameterError: An argument is unknown or not allowed.
    """
    venv = lookup(name).vector_env(n_envs, autoreset_mode=AutoresetMode.SAME_STEP, **arguments)
    vec_env = VecMonitor(SimulationVecEnv(venv))
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
