# SPDX-License-Identifier: GPL-2.0-only
"""Gymnasium's vector interface: several simulations of one agent each, stepped together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, create_empty_array

from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.simulation import Agent, AgentEnd, Round
from defiance_zoo.bridge.system.exclusive import exclusive
from defiance_zoo.environments.vector.batched_members import BatchedMembers
from defiance_zoo.environments.vector.batches import (
    check_rows,
    copy_batch,
    read_row,
    take_rows,
    to_objects,
    write,
)
from defiance_zoo.environments.vector.fragments import VectorFragments
from defiance_zoo.environments.vector.members import Infos, Step
from defiance_zoo.environments.vector.pool import SimulationPool
from defiance_zoo.errors import NotSingleAgent, SimulationError


class SimulationVectorEnv(VectorFragments, VectorEnv[Any, Any, Any]):
    """Simulations of one agent each, side by side, in one Python process.

    `step()` steps them all. `send()` and `recv()` step those that are ready, as soon as they are:
    nobody waits for the slowest. Both may not be mixed within an episode.

    Observations are written into one batch, in Gymnasium's batched form; `infos["sim_time_ns"]` is
    the simulated time of each simulation in nanoseconds, int64 of shape (num_envs,).

    Attributes:
        num_envs: Number of simulations.
        single_observation_space: Of one simulation.
        single_action_space: Of one simulation.
        observation_space: Batched, of all of them.
        action_space: Batched, of all of them.
    """

    def __init__(
        self,
        pool: SimulationPool,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        batch_size: int | None = None,
        copy: bool = True,
        restart_on_failure: bool = False,
        resumable: bool = False,
    ) -> None:
        """Take over simulations; a short-lived one tells the spaces.

        Args:
            pool: The simulations.
            autoreset_mode: What follows the end of an episode: `NEXT_STEP` begins the next one with
                the next step, whose action is ignored; `SAME_STEP` at once, with the last
                observation and info as `final_obs` and `final_info`; `DISABLED` leaves it to
                `reset(options={"reset_mask": ...})`.
            batch_size: How many simulations `recv()` waits for; None for all.
            copy: Return copies of the batches; else they change with the next step.
            restart_on_failure: Take a simulation that failed for a truncated episode, whose info
                `failure` says why; else the error is raised.
            resumable: Keep the actions of the running episodes, for `state_dict()`.

        Raises:
            NotSingleAgent: The scenario, with these parameters, has not exactly one agent.
            ParameterError: An argument is not allowed.
        """
        try:
            self._take_over(
                pool,
                autoreset_mode,
                batch_size,
                copy=copy,
                restart_on_failure=restart_on_failure,
                resumable=resumable,
            )
            self._open(_only(pool.episodes[0].agents))
        except BaseException:
            pool.close()
            raise

    def _open(self, agent: Agent) -> None:
        count = self.num_envs
        self._agent = agent
        self.metadata = {"autoreset_mode": self._mode}
        self.single_observation_space = agent.observation_space
        self.single_action_space = agent.action_space
        self.observation_space = batch_space(agent.observation_space, count)
        self.action_space = batch_space(agent.action_space, count)
        self._observations = create_empty_array(agent.observation_space, count)
        self._rewards = np.zeros(count, np.float64)
        self._terminations = np.zeros(count, np.bool_)
        self._truncations = np.zeros(count, np.bool_)
        self._times = np.zeros(count, np.int64)
        self._end_infos: dict[int, Infos] = {}
        self._everybody = list(range(count))
        self._batched = BatchedMembers(
            self._pool, agent, self._observations, self._rewards, self._times
        )

    @property
    def agent(self) -> str:
        """Name of the agent."""
        return self._agent.name

    # ------------------------------------------------------------------ Gymnasium

    @exclusive
    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start new episodes, and play them to the first decision.

        Args:
            seed: Of the first simulation, the others get the numbers after it; or one for each.
            options: `reset_mask`, a bool for each simulation, shape (num_envs,), resets some of
                them; scenario parameters for these episodes alone; unknown keys are ignored.

        Raises:
            ParameterError: A seed or an option is not allowed.
            SimulationError: A simulation failed.
        """
        infos = self._reset(seed, options)
        return self._batch(), self._with_times(infos)

    def close_extras(self, **kwargs: Any) -> None:
        """End all simulations and release everything."""
        if hasattr(self, "_pool"):  # Gymnasium also closes what could not be made
            self._close_pool()

    @exclusive
    def _close_pool(self) -> None:
        self._pool.close()

    # ------------------------------------------------------------------ what is written down

    def _row_actions(self, actions: Any, members: list[int]) -> list[list[Buffer]]:
        rows = check_rows(self._agent, actions, len(members))
        for place, member in enumerate(members):
            progress = self._pool.episodes[member].progress
            if progress.heeds_masks and self._decides(member):
                progress.require_allowed(self._agent.name, np.asarray(actions)[place])
        return rows

    def _answer_together(self, actions: Any, members: list[int]) -> list[int]:
        if members != self._everybody:
            return []
        answered, stack = self._batched.answer(actions)
        if self._resumable:
            for member in answered:
                size = len(stack) // self.num_envs
                self._played[member].append([bytes(stack[member * size : (member + 1) * size])])
        return answered

    def _read_together(self) -> list[int]:
        return self._batched.read()

    def _row_of(self, agent: str) -> int:
        return 0

    def _play_alone(self, member: int) -> None:
        self._batched.dismiss(member)

    def _see_played(self, member: int, received: Round) -> None:
        """The only agent has said all in the round, or in the last one of the fragment."""
        if received.over and received.ended[0].observation is None:
            assert received.trajectory is not None
            last = take_rows(received.trajectory.observations, [-1])
            self._observations = write(self._observations, [member], last)

    def _forget_step(self) -> None:
        for member in self._everybody:
            self._write_nothing(member)

    def _write_first(self, member: int, received: Round, infos: Infos) -> None:
        if not received.over:
            self._go_on(member, received, infos)
            return
        placeholder = self._pool.episodes[member].placeholder(self._agent.name)
        self._observations = write(self._observations, member, placeholder)
        self._see_end(member, received)
        self._add_info(infos, received.ended[0].info, member)

    def _write(self, member: int, received: Round, infos: Infos) -> None:
        if received.joined:
            raise NotSingleAgent(f"{list(received.joined)} joined an environment of one agent")
        if received.over:
            end = self._see_end(member, received)
            self._note_end(member, end.reward, end.info, terminated=end.terminated)
        else:
            self._terminations[member] = self._truncations[member] = False
            self._rewards[member] = self._go_on(member, received, infos)

    def _write_failure(self, member: int, error: SimulationError) -> None:
        self._batched.dismiss(member)
        self._note_end(member, 0.0, {"failure": str(error)}, terminated=False)

    def _write_nothing(self, member: int) -> None:
        self._rewards[member] = 0.0
        self._terminations[member] = self._truncations[member] = False

    def _go_on(self, member: int, received: Round, infos: Infos) -> float:
        self._batched.admit(member)
        observation, reward, info = received.solo()
        self._observations = write(self._observations, member, observation)
        self._times[member] = received.time_ns
        if info:
            self._add_info(infos, info, member)
        return reward

    def _see_end(self, member: int, received: Round) -> AgentEnd:
        self._batched.dismiss(member)
        (end,) = received.ended
        if end.observation is not None:
            self._observations = write(self._observations, member, end.observation)
        self._times[member] = end.time_ns
        return end

    def _note_end(self, member: int, reward: float, info: Infos, *, terminated: bool) -> None:
        self._rewards[member] = reward
        self._terminations[member], self._truncations[member] = terminated, not terminated
        self._end_infos[member] = info

    def _tell_end(self, member: int, infos: Infos, *, final: bool) -> None:
        info = self._end_infos.pop(member)
        if final:
            info = {
                "final_obs": read_row(self._observations, member),
                "final_info": {**info, "sim_time_ns": int(self._times[member])},
            }
        self._add_info(infos, info, member)

    def _keep_flags(self, member: int) -> Callable[[], None]:
        flags = (self._rewards, self._terminations, self._truncations)
        kept = [each[member] for each in flags]

        def restore() -> None:
            for each, value in zip(flags, kept, strict=True):
                each[member] = value

        return restore

    def _batch(self) -> Any:
        return copy_batch(self._observations) if self._copy else self._observations

    def _add_info(self, vector_infos: Infos, env_info: Infos, env_num: int) -> Infos:
        """Do what Gymnasium does; where arrays differ in shape, they become objects."""
        for name, value in env_info.items():
            if isinstance(value, np.ndarray) and name in vector_infos:
                batch = vector_infos[name]
                if batch.dtype != object and batch.shape[1:] != value.shape:
                    vector_infos[name] = to_objects(batch, vector_infos[f"_{name}"])
        return super()._add_info(vector_infos, env_info, env_num)

    def _with_times(self, infos: Infos) -> Infos:
        infos["sim_time_ns"] = self._times.copy()
        infos["_sim_time_ns"] = np.ones(self.num_envs, np.bool_)
        return infos

    def _results(self, infos: Infos) -> Step:
        rewards, terminations, truncations = self._rewards, self._terminations, self._truncations
        if self._copy:
            rewards, terminations = rewards.copy(), terminations.copy()
            truncations = truncations.copy()
        return self._batch(), rewards, terminations, truncations, self._with_times(infos)


def _only(agents: dict[str, Agent]) -> Agent:
    if len(agents) != 1:
        raise NotSingleAgent(
            f"the scenario has the agents {list(agents)} with these parameters; the environments "
            "of a Gymnasium vector have exactly one"
        )
    (agent,) = agents.values()
    return agent
