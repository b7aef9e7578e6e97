# SPDX-License-Identifier: GPL-2.0-only
"""Stable-Baselines3: vectors of simulations with a single agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecMonitor

from defiance_zoo.bridge.system.plain_values import plain_seed
from defiance_zoo.environments import SimulationVectorEnv, lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.wrappers.sb3.base import PlayedStep, SB3VecEnvBase, VecStep
from defiance_zoo.wrappers.sb3.zero_based_actions import to_agent


class SingleAgentVecEnv(SB3VecEnvBase):
    """Simulations of a single-agent environment, in one process, as SB3's vector.

    `infos[i]` holds the scenario's typed infos, `sim_time_ns` and `TimeLimit.truncated`, and at the
    end of an episode `terminal_observation`, as SB3 expects; `failure` if the simulation was lost.
    """

    _venv: SimulationVectorEnv

    def __init__(self, venv: SimulationVectorEnv) -> None:
        super().__init__(venv, rows=1)
        self.agents = [venv.agent] * self.num_envs

    def _act(self, actions: Any, replayed: PlayedStep | None) -> None:
        if replayed is None:
            self._venv.step_async(to_agent(self.action_space, actions))

    def _begin(self, observations: Any, infos: dict[str, Any]) -> Any:
        self.reset_infos = _split(infos, self.num_envs)
        self._note_masks(observations, self.reset_infos, self.deciding())
        return observations

    def _convert(
        self, observations: Any, rewards: Any, terminations: Any, truncations: Any, infos: Any
    ) -> VecStep:
        final, ends = infos.pop("final_info", {}), infos.pop("final_obs", None)
        reported = _split(infos, self.num_envs)
        self._note_masks(observations, reported, self.deciding())
        dones = terminations | truncations
        last = _split(final, self.num_envs) if final else []
        for member in dones.nonzero()[0]:
            self.episodes += 1
            self._ended_ns += last[member]["sim_time_ns"]
            self.reset_infos[member] = reported[member]
            reported[member] = {**last[member], "terminal_observation": ends[member]}
        for info, truncated in zip(reported, truncations.tolist(), strict=True):
            info["TimeLimit.truncated"] = truncated
        return observations, rewards.astype("float32"), dones, reported

    def deciding(self) -> NDArray[np.bool_]:
        """Return whether each agent decides next; false if its episode ended without a decision."""
        deciding = np.ones(self.num_envs, np.bool_)
        deciding[list(self._venv.over_at_reset)] = False
        return deciding


def _split(batched: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Convert Gymnasium's batched infos to a dict for each simulation."""
    infos: list[dict[str, Any]] = [{} for _ in range(count)]
    for key, values in batched.items():
        if key.startswith("_"):
            continue
        each = values.tolist() if values.ndim == 1 else values
        for member in batched[f"_{key}"].nonzero()[0].tolist():
            infos[member][key] = each[member]
    return infos


def make_vec_env(
    name: str,
    *,
    n_envs: int = 1,
    seed: int | None = None,
    compute_reward: Callable[..., Any] | None = None,
    **arguments: Any,
) -> VecEnv:
    """Return `n_envs` simulations of a single-agent environment, stepped side by side.

    Args:
        name: A name such as `cart_pole_v0`.
        n_envs: Number of simulations.
        seed: Simulation i gets `seed + i` at its first reset.
        compute_reward: For HerReplayBuffer: returns the rewards of achieved goals and desired
            goals, arrays of several rows, and their infos. It runs in this process.
        **arguments: As for `defiance_zoo.make_vec`, such as `restart_on_failure=True`; the link is
            local by default.

    Raises:
        NotSingleAgent: The scenario, with these parameters, does not have exactly one agent.
        ParameterError: An argument is unknown or not allowed.
    """
    seed = plain_seed(seed)
    if not (compute_reward is None or callable(compute_reward)):
        raise ParameterError(f"compute_reward={compute_reward!r} is not a function")
    venv = lookup(name).vector_env(n_envs, autoreset_mode=AutoresetMode.SAME_STEP, **arguments)
    simulations = SingleAgentVecEnv(venv)
    simulations.compute_reward = compute_reward
    vec_env = VecMonitor(simulations)
    vec_env.seed(seed)
    return vec_env
