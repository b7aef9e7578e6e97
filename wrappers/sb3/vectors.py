# SPDX-License-Identifier: GPL-2.0-only
"""Stable-Baselines3: vectors of simulations with one agent or a shared policy, and features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import create_empty_array
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, VecMonitor

from defiance_zoo.bridge.codec.values import copy_batch
from defiance_zoo.bridge.system.plain_values import plain_seed
from defiance_zoo.environments import MultiAgentVectorEnv, SimulationVectorEnv, lookup
from defiance_zoo.environments.vector.batches import take_rows, to_rows, write
from defiance_zoo.errors import ParameterError
from defiance_zoo.wrappers.features import FeatureView
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


_NOT_OF_ROWS = ("alive", "deciding", "failure", "final_info", "final_obs", "sim_time_ns")


@dataclass(frozen=True)
class Decisions:
    """Rows with a decision; the arrays change with each step.

    Attributes:
        acted: Whether each row's action of the last step was used, bool of shape (rows,).
        deciding: Whether each row decides next, bool of shape (rows,).
    """

    acted: NDArray[np.bool_]
    deciding: NDArray[np.bool_]


class SharedPolicyVecEnv(SB3VecEnvBase):
    """The agents of all simulations as the environments of one SB3 vector.

    Row `simulation * agents + agent` is one agent. A step is a round of decisions in each
    simulation:

    * An agent that does not decide keeps its last observation and has reward 0; its action is
      ignored.
    * An agent that ends is done once, with `terminal_observation`. Until the last agent ends the
      episode, its row then holds zeros and the reward 0, and is not done again. An agent has the
      same row before it joins.

    `infos[row]` has the flags `acted`, `deciding` and `after_reset` (of the first step after
    `reset()`), the scenario's typed infos, `sim_time_ns` and `TimeLimit.truncated`. SB3's buffers
    ignore these flags and would learn from all rows; `decisions_only()` returns buffers that learn
    only from decisions.

    Attributes:
        decisions: Mask of rows with a decision.
    """

    _venv: MultiAgentVectorEnv

    def __init__(self, venv: MultiAgentVectorEnv) -> None:
        super().__init__(venv, rows=venv.max_agents)
        count = self.num_envs
        self.decisions = Decisions(np.zeros(count, np.bool_), np.zeros(count, np.bool_))
        self._is_reset = False

    @property
    def agents(self) -> list[str]:  # type: ignore[override]
        """Name of the agent of each row; empty before an agent joins."""
        names = self._venv.possible_agents
        return [*names, *[""] * (self.rows - len(names))] * self._venv.num_envs

    def _act(self, actions: Any, replayed: PlayedStep | None) -> None:
        if replayed is not None:
            self.decisions.acted[:] = replayed.acted
            return
        self.decisions.acted[:] = self.decisions.deciding
        shape = (self._venv.num_envs, self.rows, *np.shape(actions)[1:])
        self._venv.step_async(np.reshape(to_agent(self.action_space, actions), shape))

    def deciding(self) -> NDArray[np.bool_]:
        return self.decisions.deciding

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the simulations; see `VectorInterface.state_dict`."""
        return {**super().state_dict(), "deciding": self.decisions.deciding.copy()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the result of `state_dict()`; see `VectorInterface.load_state_dict`."""
        super().load_state_dict(state)
        self.decisions.deciding[:], self._is_reset = state["deciding"], False

    def _begin(self, observations: Any, infos: dict[str, Any]) -> Any:
        batch, self._is_reset = self._see(observations, infos), True
        self.reset_infos = self._split(infos)
        self._note_masks(batch, self.reset_infos, self.decisions.deciding)
        return self._without_absent(batch, infos["alive"])

    def _convert(
        self, observations: Any, rewards: Any, terminations: Any, truncations: Any, infos: Any
    ) -> VecStep:
        batch = self._see(observations, infos)
        reported = self._split(infos)
        self._note_masks(batch, reported, self.decisions.deciding)
        last: dict[int, Any] = {}
        for member, final in enumerate(infos.get("final_info", ())):
            if final is not None:
                self.episodes += 1
                self._ended_ns += final["sim_time_ns"]
                self._separate_end(member, final, reported)
                last[member] = infos["final_obs"][member]
        dones = (terminations | truncations).ravel()
        for row in dones.nonzero()[0]:
            member, agent = divmod(int(row), self.rows)
            end = copy_batch(
                take_rows(last[member], agent) if member in last else take_rows(batch, row)
            )
            reported[row]["terminal_observation"] = end
        flags = zip(
            reported,
            truncations.ravel().tolist(),
            self.decisions.acted.tolist(),
            self.decisions.deciding.tolist(),
            strict=True,
        )
        for info, truncated, acted, deciding in flags:
            info.update({"TimeLimit.truncated": truncated, "acted": acted, "deciding": deciding})
            info["after_reset"] = self._is_reset
        self._is_reset = False
        batch = self._without_absent(batch, infos["alive"])
        return batch, rewards.ravel().astype("float32"), dones, reported

    # ------------------------------------------------------------------ inside

    def _see(self, observations: Any, infos: dict[str, Any]) -> Any:
        self.decisions.deciding[:] = infos["deciding"].ravel()
        return to_rows(observations)

    def _without_absent(self, batch: Any, alive: NDArray[np.bool_]) -> Any:
        """Write zeros, or the closest values, to rows without an agent."""
        absent = np.flatnonzero(~alive.ravel())
        return write(batch, absent, self._venv.placeholder) if absent.size else batch

    def _split(self, infos: dict[str, Any]) -> list[dict[str, Any]]:
        """Convert infos of shape (simulations, agents) to a dict for each row."""
        rows: list[dict[str, Any]] = [
            {"sim_time_ns": time_ns}
            for time_ns in np.repeat(infos["sim_time_ns"], self.rows).tolist()
        ]
        self._spread(infos, rows)
        return rows

    def _separate_end(self, member: int, final: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        """Replace the infos of the next episode's beginning by those of the end."""
        mine = range(member * self.rows, (member + 1) * self.rows)
        for row in mine:
            self.reset_infos[row] = rows[row]
            rows[row] = {"sim_time_ns": final["sim_time_ns"]}
            if "failure" in final:
                rows[row]["failure"] = final["failure"][member]
        self._spread(final, rows)

    def _spread(self, infos: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        for key, values in infos.items():
            if key.startswith("_") or key in _NOT_OF_ROWS:
                continue
            for member, agent in zip(*infos[f"_{key}"].nonzero(), strict=True):
                value = values[member, agent]
                value = value.item() if isinstance(value, np.generic) else value
                rows[member * self.rows + agent][key] = value


class DecisionMonitor(VecMonitor):
    """SB3's `VecMonitor` with decisions as the length of an agent's episode."""

    def step_wait(self) -> Any:
        """Wait for every simulation, and note the ends of episodes."""
        self.episode_lengths -= ~self.decisions.acted  # undoes the count of the base class
        return super().step_wait()


def make_shared_policy_vec_env(
    name: str, *, n_envs: int = 1, seed: int | None = None, **arguments: Any
) -> VecEnv:
    """Return the agents of `n_envs` simulations as a vector with a shared policy.

    Args:
        name: Name of an environment whose agents have equal spaces.
        n_envs: Number of simulations.
        seed: Simulation i gets `seed + i` at its first reset.
        **arguments: As for `defiance_zoo.make_vec(..., api="parallel")`, such as `max_agents`.

    Raises:
        NotHomogeneous: The agents have different spaces, or spaces with texts.
        ParameterError: An argument is unknown or not allowed.
    """
    seed = plain_seed(seed)
    venv = lookup(name).multi_agent_vector_env(
        n_envs, autoreset_mode=AutoresetMode.SAME_STEP, **arguments
    )
    vec_env = DecisionMonitor(SharedPolicyVecEnv(venv))
    vec_env.seed(seed)
    return vec_env


class FeatureVecEnv(VecEnvWrapper):
    """Replaces the observations of a vector by their features.

    A row's features change when its agent decides. In between, the row shows the features of the
    last decision; after the agent's end, it shows zeros.

    Attributes:
        observations: The last observations of the vector, without features.
    """

    observations: Any = None

    def __init__(self, venv: VecEnv, view: FeatureView) -> None:
        super().__init__(venv, observation_space=view.space)
        self._view = view
        self._states = view.states(self.num_envs)
        self._shown = create_empty_array(view.space, self.num_envs, np.zeros)

    def reset(self) -> Any:
        """Start new episodes, with states of zeros.

        Raises:
            ParameterError: The features are not in their space, or not finite.
        """
        observations = self.venv.reset()
        self._states[:] = 0
        return self._show(observations, np.ones(self.num_envs, np.bool_))

    def step_wait(self) -> Any:
        """Wait for every simulation.

        Raises:
            ParameterError: The features are not in their space, or not finite.
        """
        observations, rewards, dones, infos = self.venv.step_wait()
        for row in np.flatnonzero(dones):
            state = self._states[row : row + 1]
            last, _ = self._view.observe_one(infos[row]["terminal_observation"], state)
            infos[row]["terminal_observation"] = last
        self._states[dones] = 0
        return self._show(observations, dones), rewards, dones, infos

    def state_dict(self) -> dict[str, Any]:
        """Return the states of all rows, and their current features."""
        return {"states": self._states.copy(), "shown": copy_batch(self._shown)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the result of `state_dict()`."""
        self._states[:], self._shown = state["states"], copy_batch(state["shown"])

    def _show(self, observations: Any, ended: NDArray[np.bool_]) -> Any:
        """Return the observations of the rows; ended rows have zeros unless they decide."""
        self.observations = observations
        simulations = self.unwrapped
        assert isinstance(simulations, SB3VecEnvBase)
        deciding = simulations.deciding()
        rows, absent = np.flatnonzero(deciding), np.flatnonzero(ended & ~deciding)
        write(self._shown, absent, create_empty_array(self._view.space, len(absent), np.zeros))
        if rows.size:
            shown = take_rows(observations, rows)
            observed, self._states[rows] = self._view.observe(shown, self._states[rows])
            write(self._shown, rows, observed)
        return copy_batch(self._shown)
