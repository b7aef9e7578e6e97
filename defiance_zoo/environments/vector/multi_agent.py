# SPDX-License-Identifier: GPL-2.0-only
"""Several simulations of many agents each, stepped together, with a row for each agent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space, create_empty_array
from numpy.typing import NDArray

from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.simulation import AgentGroup, Round
from defiance_zoo.bridge.system.exclusive import exclusive
from defiance_zoo.bridge.system.plain_values import whole_number
from defiance_zoo.environments.vector.batches import read_row, take_rows, write
from defiance_zoo.environments.vector.fragments import VectorFragments
from defiance_zoo.environments.vector.members import Infos, Step
from defiance_zoo.environments.vector.pool import SimulationPool
from defiance_zoo.errors import InvalidAction, NotHomogeneous, ParameterError, SimulationError

Rows = slice | NDArray[np.int64]
_MAX_GROUPS = 1024


class MultiAgentVectorEnv(VectorFragments):
    """Simulations of agents with equal spaces, side by side, in one Python process.

    What PettingZoo's parallel interface tells in dicts stands in arrays here: observations of shape
    (num_envs, agents, ...), in Gymnasium's batched form, rewards, terminations and truncations of
    shape (num_envs, agents). A step is one round of decisions in each simulation. In every step
    `infos` holds `deciding` and `alive`, bool of shape (num_envs, agents), and `sim_time_ns`, int64
    of shape (num_envs,). Actions of agents that do not decide are ignored; the observation of such
    an agent is its last one, its reward 0.

    Attributes:
        num_envs: Number of simulations.
        possible_agents: Names of the agents, in the order of their rows.
        max_agents: Number of rows.
        single_observation_space: Of one agent.
        single_action_space: Of one agent.
        observation_space: Batched, of all agents of all simulations.
        action_space: Batched, of all agents of all simulations.
    """

    def __init__(
        self,
        pool: SimulationPool,
        *,
        max_agents: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        batch_size: int | None = None,
        copy: bool = True,
        restart_on_failure: bool = False,
        resumable: bool = False,
    ) -> None:
        """Take over simulations; a short-lived one tells the agents and their spaces.

        Args:
            pool: The simulations.
            max_agents: Number of rows; None for one each of the agents that are there from the
                beginning. Those that join late take the rows after them.
            autoreset_mode: As of `SimulationVectorEnv`; an episode ends with its last agent.
            batch_size: As of `SimulationVectorEnv`.
            copy: As of `SimulationVectorEnv`.
            restart_on_failure: As of `SimulationVectorEnv`.
            resumable: As of `SimulationVectorEnv`.

        Raises:
            NotHomogeneous: The agents have different spaces, or texts in them.
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
                max_agents=max_agents,
            )
            self._open(max_agents)
        except BaseException:
            pool.close()
            raise

    def _open(self, max_agents: int | None) -> None:
        agents = self._pool.episodes[0].agents
        self.possible_agents = list(agents)
        rows = len(agents) if max_agents is None else whole_number("max_agents", max_agents)
        self.max_agents = rows
        if self.max_agents < max(len(agents), 1):
            raise ParameterError(f"max_agents={max_agents}, but there are {len(agents)} agents")
        first = self._first = next(iter(agents.values()))
        if first.actions.sizes is None or first.observations.sizes is None:
            raise NotHomogeneous(f"the spaces of {first.name} hold texts, which no array can")
        for agent in agents:
            self._require_equal(agent)
        self.single_observation_space = first.observation_space
        self.single_action_space = first.action_space
        rows, count = self.max_agents, self.num_envs
        self.observation_space = batch_space(batch_space(first.observation_space, rows), count)
        self.action_space = batch_space(batch_space(first.action_space, rows), count)
        self._row = {name: row for row, name in enumerate(self.possible_agents)}
        self._rows: dict[AgentGroup, Rows] = {}
        self._observations = create_empty_array(batch_space(first.observation_space, rows), count)
        self._rewards = np.zeros((count, rows), np.float64)
        self._terminations = np.zeros((count, rows), np.bool_)
        self._truncations = np.zeros((count, rows), np.bool_)
        self._deciding = np.zeros((count, rows), np.bool_)
        self._alive = np.zeros((count, rows), np.bool_)
        self._times = np.zeros(count, np.int64)
        self._last: dict[int, Round] = {}
        self._failures: dict[int, str] = {}

    @property
    def placeholder(self) -> Any:
        """Zeros, or what is close to them in `single_observation_space`."""
        return self._pool.episodes[0].placeholder(self._first.name)

    # ------------------------------------------------------------------ interface

    @exclusive
    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, Infos]:
        """Start new episodes; see `SimulationVectorEnv.reset`.

        Raises:
            ParameterError: A seed or an option is not allowed, or there are too many agents.
            SimulationError: A simulation failed.
        """
        infos = self._reset(seed, options)
        observations, _, _, _, infos = self._results(infos)
        return observations, infos

    @exclusive
    def close(self) -> None:
        """End all simulations and release everything; may be called again."""
        self._pool.close()

    # ------------------------------------------------------------------ what is written down

    def _row_actions(self, actions: Any, members: list[int]) -> list[list[Buffer]]:
        """See `VectorEnvBase`."""
        return [
            self._buffers(actions, place, member) if self._decides(member) else []
            for place, member in enumerate(members)
        ]

    def _buffers(self, actions: Any, place: int, member: int) -> list[Buffer]:
        received = self._pool.episodes[member].round
        buffers: list[Buffer] = []
        for group in received.groups if received is not None else ():
            rows = self._rows_of(group)
            try:
                mine = take_rows(take_rows(actions, place), rows)
                buffers += group.actions.check_stack(mine, len(group.names))
            except (ValueError, TypeError, OverflowError, LookupError) as error:
                raise InvalidAction(
                    f"the actions of {list(group.names)} in simulation {member} are not in "
                    f"{self.single_action_space}: {error}"
                ) from error
            progress = self._pool.episodes[member].progress
            for row, agent in enumerate(group.names if progress.heeds_masks else ()):
                progress.require_allowed(agent, np.asarray(mine)[row])
        return buffers

    def _write_first(self, member: int, received: Round, infos: Infos) -> None:
        write(self._observations, member, self.placeholder)
        self._alive[member] = False
        for agent in self._pool.episodes[member].live:
            self._alive[member, self._place(agent)] = True
        if received.over:
            self._see_ends(member, received)
            self._write_nothing(member)
        else:
            self._write(member, received, infos)

    def _write(self, member: int, received: Round, infos: Infos) -> None:
        self._write_nothing(member)
        for agent in received.joined:
            self._alive[member, self._place(agent)] = True
        self._see_ends(member, received)
        for steps in received.asked:
            rows = self._rows_of(steps.group)
            write(self._observations, (member, rows), steps.observations)
            self._rewards[member, rows] = steps.rewards
            self._deciding[member, rows] = True
            for row, info in steps.infos.items():
                self._add(infos, info, member, steps.group.names[row])
        if not received.over:
            for end in received.ended:
                self._add(infos, end.info, member, end.agent)
        if received.over:
            self._last[member] = received

    def _see_ends(self, member: int, received: Round) -> None:
        for end in received.ended:
            row = self._place(end.agent)
            if end.observation is not None:
                write(self._observations, (member, row), end.observation)
            self._rewards[member, row] = end.reward
            self._terminations[member, row] = end.terminated
            self._truncations[member, row] = not end.terminated
            self._alive[member, row] = False
        self._times[member] = received.time_ns

    def _write_failure(self, member: int, error: SimulationError) -> None:
        self._write_nothing(member)
        self._truncations[member] = self._alive[member]
        self._alive[member] = False
        self._failures[member] = str(error)

    def _write_nothing(self, member: int) -> None:
        self._rewards[member] = 0.0
        self._terminations[member] = self._truncations[member] = self._deciding[member] = False

    def _tell_end(self, member: int, infos: Infos, *, final: bool) -> None:
        target: Infos = {} if final else infos
        received = self._last.pop(member, None)
        for end in received.ended if received is not None else ():
            self._add(target, end.info, member, end.agent)
        if member in self._failures:
            failures = target.setdefault("failure", np.full(self.num_envs, None))
            failures[member] = self._failures.pop(member)
        if final:
            for key, value in (
                ("final_obs", read_row(self._observations, member)),
                ("final_info", {**target, "sim_time_ns": int(self._times[member])}),
            ):
                infos.setdefault(key, np.full(self.num_envs, None))[member] = value

    def _row_of(self, agent: str) -> int:
        return self._place(agent)

    def _play_alone(self, member: int) -> None:
        pass  # each is always played by itself

    def _see_played(self, member: int, received: Round) -> None:
        played = received.trajectory
        assert played is not None
        told = {name for steps in received.asked for name in steps.group.names}
        told.update(end.agent for end in received.ended if end.observation is not None)
        last = {played.names[index]: row for row, index in enumerate(played.agents)}
        silent = [agent for agent in last if agent not in told]
        rows = np.array([self._place(agent) for agent in silent], np.int64)
        seen = take_rows(played.observations, [last[agent] for agent in silent])
        write(self._observations, (member, rows), seen)

    def _forget_step(self) -> None:
        self._rewards[:] = 0.0
        self._terminations[:] = self._truncations[:] = False

    def _shared_state(self) -> dict[str, Any]:
        return {"possible_agents": list(self.possible_agents)}

    def _recall_shared_state(self, state: dict[str, Any]) -> None:
        agents = state["possible_agents"]
        if len(agents) > self.max_agents:
            raise ParameterError(f"the state is one of {len(agents)} agents, not {self.max_agents}")
        self.possible_agents[:] = agents
        self._row = {name: row for row, name in enumerate(agents)}
        self._rows.clear()
        self._alive[:] = self._deciding[:] = False

    def _keep_flags(self, member: int) -> Callable[[], None]:
        flags = (self._rewards, self._terminations, self._truncations)
        kept = [each[member].copy() for each in flags]

        def restore() -> None:
            for each, value in zip(flags, kept, strict=True):
                each[member] = value

        return restore

    # ------------------------------------------------------------------ inside

    def _require_equal(self, agent: str) -> None:
        spec, first = self._pool.episodes[0].agents[agent], self._first
        if (spec.observation_space, spec.action_space) != (
            first.observation_space,
            first.action_space,
        ):
            raise NotHomogeneous(
                f"{first.name} and {agent} have different spaces, which cannot be batched; use the "
                "parallel environment"
            )

    def _place(self, agent: str) -> int:
        """Return the row of an agent; one that has joined takes the next."""
        if agent not in self._row:
            if len(self._row) == self.max_agents:
                raise ParameterError(
                    f"{agent} joined {self.max_agents} others; say max_agents={self.max_agents + 1}"
                )
            self._row[agent] = len(self._row)
            self.possible_agents.append(agent)
        return self._row[agent]

    def _rows_of(self, group: AgentGroup) -> Rows:
        """Return the rows of a group of agents."""
        if group not in self._rows:
            if len(self._rows) >= _MAX_GROUPS:
                self._rows.clear()
            places = [self._place(agent) for agent in group.names]
            following = list(range(places[0], places[0] + len(places)))
            self._rows[group] = (
                slice(places[0], places[-1] + 1) if places == following else np.array(places)
            )
        return self._rows[group]

    def _add(self, infos: Infos, info: Infos, member: int, agent: str) -> None:
        """Add what is told of one agent, in arrays of shape (num_envs, agents), with masks."""
        for key, value in info.items():
            if key not in infos:
                plain = isinstance(value, bool | int | float)
                infos[key] = np.full(
                    self._rewards.shape, 0 if plain else None, type(value) if plain else None
                )
                infos[f"_{key}"] = np.zeros(self._rewards.shape, np.bool_)
            infos[key][member, self._place(agent)] = value
            infos[f"_{key}"][member, self._place(agent)] = True

    def _results(self, infos: Infos) -> Step:
        keep: Callable[[Any], Any] = deepcopy if self._copy else _itself
        infos["deciding"], infos["alive"] = keep(self._deciding), keep(self._alive)
        infos["sim_time_ns"] = keep(self._times)
        return (
            keep(self._observations),
            keep(self._rewards),
            keep(self._terminations),
            keep(self._truncations),
            infos,
        )


def _itself(batch: Any) -> Any:
    return batch
