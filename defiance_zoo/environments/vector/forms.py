# SPDX-License-Identifier: GPL-2.0-only
"""The forms of the two vector environments: their actions, and their batched infos."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv
from numpy.typing import NDArray

from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.codec.values import copy_batch
from defiance_zoo.bridge.simulation import Agent, AgentEnd
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.environments.vector.batches import AgentRows, check_rows, make_room, take_rows
from defiance_zoo.errors import InvalidAction

Infos = dict[str, Any]
Flags = NDArray[np.bool_]
Step = tuple[Any, NDArray[np.float64], Flags, Flags, Infos]
"""Observations, rewards, terminations, truncations, infos."""


@dataclass(frozen=True)
class Ending:
    """The kind of end of a simulation's episode.

    Attributes:
        ended: The agents that ended last.
        failure: Error of a lost simulation; otherwise None.
        observation: The last observations if the next episode begins at once; otherwise None.
        time_ns: Simulated time of the end, in nanoseconds.
    """

    ended: Sequence[AgentEnd]
    failure: str | None
    observation: Any
    time_ns: int


class VectorForm(ABC):
    """The form of a vector environment's actions, infos and steps."""

    reports_early_ends: bool
    """Whether the reset reports the infos of an episode that is over at its reset."""

    def __init__(self, rows: AgentRows) -> None:
        self.rows = rows

    @abstractmethod
    def read_actions(
        self, actions: Any, members: Sequence[int], asked: Sequence[Episodes | None]
    ) -> list[list[Buffer]]:
        """Check a batch of actions; return the buffers for each simulation."""

    @abstractmethod
    def add(self, infos: Infos, info: Infos, member: int, agent: str) -> None:
        """Add the info of an agent to the vector's infos."""

    @abstractmethod
    def add_end(self, infos: Infos, member: int, ending: Ending) -> None:
        """Add the end of an episode."""

    @abstractmethod
    def step(
        self, infos: Infos, told: Flags, *, copy: bool, members: NDArray[np.int64] | None = None
    ) -> Step:
        """Return the latest step of some simulations by number; None: of all.

        `infos`: infos of all simulations, to which entries are added. `told`: which simulations
        have infos. `copy`: return copies, not read-only views, which change with the next step.
        """


class SingleAgentForm(VectorForm):
    """Gymnasium's form: simulations of one agent each."""

    reports_early_ends = True

    def __init__(self, rows: AgentRows, agent: Agent) -> None:
        super().__init__(rows)
        self.agent, self._batcher = agent, _InfoBatcher(len(rows.times))

    def read_actions(
        self, actions: Any, members: Sequence[int], asked: Sequence[Episodes | None]
    ) -> list[list[Buffer]]:
        """See `VectorForm`; actions of simulations that do not decide are checked, too."""
        buffers = check_rows(self.agent, actions, len(members))
        for place, episodes in enumerate(asked):
            if episodes is not None and episodes.progress.heeds_masks:
                action = np.asarray(actions)[place]
                episodes.progress.require_allowed(self.agent.name, action)
        return buffers

    def add(self, infos: Infos, info: Infos, member: int, agent: str) -> None:
        self._batcher.add(infos, info, member)

    def add_end(self, infos: Infos, member: int, ending: Ending) -> None:
        info = {"failure": ending.failure} if ending.failure is not None else ending.ended[0].info
        if ending.observation is not None:
            final = {**info, "sim_time_ns": ending.time_ns}
            info = {"final_obs": ending.observation, "final_info": final}
        self._batcher.add(infos, info, member)

    def step(
        self, infos: Infos, told: Flags, *, copy: bool, members: NDArray[np.int64] | None = None
    ) -> Step:
        rows, keep = self.rows, _keep(copy, members)
        infos["sim_time_ns"], infos["_sim_time_ns"] = np.where(told, rows.times, 0), told
        flags = keep(rows.terminations), keep(rows.truncations)
        return keep(rows.observations), keep(rows.rewards), *flags, infos


class _InfoBatcher(VectorEnv[Any, Any, Any]):
    """Gymnasium's method that batches infos."""

    def __init__(self, num_envs: int) -> None:
        self.num_envs = num_envs

    def add(self, infos: Infos, info: Infos, member: int) -> None:
        if info:
            self._add_info(infos, info, member)

    def _add_info(self, vector_infos: Infos, env_info: Infos, env_num: int) -> Infos:
        """Add infos as Gymnasium does, but keep values of other types and shapes as they are."""
        for name, value in env_info.items():
            if name in vector_infos and not isinstance(value, dict):
                room = make_room(vector_infos[name], vector_infos[f"_{name}"], value)
                vector_infos[name] = room
        return super()._add_info(vector_infos, env_info, env_num)


class MultiAgentForm(VectorForm):
    """Arrays of shape (simulations, agents, ...)."""

    reports_early_ends = False

    def read_actions(
        self, actions: Any, members: Sequence[int], asked: Sequence[Episodes | None]
    ) -> list[list[Buffer]]:
        """See `VectorForm`; actions of agents that do not decide are ignored."""
        return [
            [] if episodes is None else self._buffers(actions, place, member, episodes)
            for place, (member, episodes) in enumerate(zip(members, asked, strict=True))
        ]

    def _buffers(self, actions: Any, place: int, member: int, episodes: Episodes) -> list[Buffer]:
        """Return the buffers for the deciding groups of a simulation."""
        received, progress = episodes.round, episodes.progress
        buffers: list[Buffer] = []
        for group in received.groups if received is not None else ():
            try:
                mine = take_rows(take_rows(actions, place), self.rows.places(group))
                buffers += group.actions.check_stack(mine, len(group.names))
            except (ValueError, TypeError, OverflowError, LookupError) as error:
                space = episodes.agents[group.names[0]].action_space
                raise InvalidAction(
                    f"the actions of {list(group.names)} in simulation {member} are not in "
                    f"{space}: {error}"
                ) from error
            for row, agent in enumerate(group.names if progress.heeds_masks else ()):
                progress.require_allowed(agent, np.asarray(mine)[row])
        return buffers

    def add(self, infos: Infos, info: Infos, member: int, agent: str) -> None:
        """Add an info to arrays of shape (simulations, agents), with masks."""
        shape = len(self.rows.times), self.rows.agents
        row = member, self.rows.place(agent)
        for key, value in info.items():
            if key not in infos:
                plain = isinstance(value, bool | int | float)
                kind, blank = (type(value), 0) if plain else (None, None)
                infos[key] = np.full(shape, blank, kind)
                infos[f"_{key}"] = np.zeros(shape, np.bool_)
            else:
                infos[key] = make_room(infos[key], infos[f"_{key}"], value)
            infos[key][row], infos[f"_{key}"][row] = value, True

    def add_end(self, infos: Infos, member: int, ending: Ending) -> None:
        target: Infos = infos if ending.observation is None else {}
        for end in ending.ended:
            self.add(target, end.info, member, end.agent)
        if ending.failure is not None:
            self._set(target, "failure", member, ending.failure)
        if ending.observation is not None:
            self._set(infos, "final_obs", member, ending.observation)
            self._set(infos, "final_info", member, {**target, "sim_time_ns": ending.time_ns})

    def _set(self, infos: Infos, key: str, member: int, value: Any) -> None:
        infos.setdefault(key, np.full(len(self.rows.times), None))[member] = value

    def step(
        self, infos: Infos, told: Flags, *, copy: bool, members: NDArray[np.int64] | None = None
    ) -> Step:
        rows, shaped, whole = self.rows, self._shape, _keep(copy, None)
        infos["deciding"], infos["alive"] = whole(shaped(rows.deciding)), whole(shaped(rows.alive))
        infos["sim_time_ns"] = whole(rows.times)
        keep = _keep(copy, members)
        flags = keep(shaped(rows.terminations)), keep(shaped(rows.truncations))
        return keep(shaped(rows.observations)), keep(shaped(rows.rewards)), *flags, infos

    def _shape(self, batch: Any) -> Any:
        """Reshape a batch with a row for each agent to (simulations, agents, ...)."""
        if isinstance(batch, dict):
            return {key: self._shape(part) for key, part in batch.items()}
        if isinstance(batch, tuple):
            return tuple(map(self._shape, batch))
        return batch.reshape(-1, self.rows.agents, *batch.shape[1:])


def _keep(copy: bool, members: NDArray[np.int64] | None) -> Any:
    if members is not None:
        return lambda batch: take_rows(batch, members)  # a copy
    return copy_batch if copy else _view


def _view(batch: Any) -> Any:
    """Return read-only views of a batch: the rows of agents that do not decide stay valid."""
    if isinstance(batch, dict):
        return {key: _view(part) for key, part in batch.items()}
    if isinstance(batch, tuple):
        return tuple(map(_view, batch))
    if isinstance(batch, np.ndarray):
        batch = batch.view()
        batch.flags.writeable = False
    return batch
