# SPDX-License-Identifier: GPL-2.0-only
"""Batches in Gymnasium's form, and the rows of all agents of all simulations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from gymnasium.vector.utils import batch_space, create_empty_array, iterate
from numpy.typing import NDArray

from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.codec.spaces import placeholder_observation
from defiance_zoo.bridge.codec.values import copy_batch
from defiance_zoo.bridge.simulation import Agent, AgentEnd, AgentGroup, Round
from defiance_zoo.errors import InvalidAction, NotSingleAgent, ParameterError

_Wrong = (ValueError, TypeError, OverflowError)
_NUMBERS: dict[str, type] = {"b": bool, "i": int, "f": float}
"""Types of infos that an array of a kind holds."""


def write(batch: Any, index: Any, value: Any) -> Any:
    """Write a value, or as many as the index selects, into a batch; return the batch.

    Arrays change in place. The index of texts is a number or a slice.
    """
    if isinstance(batch, np.ndarray):
        batch[index] = value
    elif isinstance(batch, dict):
        for key, part in batch.items():
            batch[key] = write(part, index, value[key])
    elif batch and isinstance(batch[0], str):
        texts = list(batch)
        texts[index] = value
        batch = tuple(texts)
    else:
        batch = tuple(write(part, index, each) for part, each in zip(batch, value, strict=True))
    return batch


def take_rows(batch: Any, rows: Any) -> Any:
    """Return some rows of a batch, or one of them."""
    if isinstance(batch, np.ndarray):
        return batch[rows]
    if isinstance(batch, dict):
        return {key: take_rows(part, rows) for key, part in batch.items()}
    if batch and isinstance(batch[0], str):
        return batch[rows] if np.ndim(rows) == 0 else tuple(batch[row] for row in rows)
    return tuple(take_rows(part, rows) for part in batch)


def check_stack(agent: Agent, actions: Any, rows: int) -> list[Buffer]:
    """Check a batch of actions of fixed size, and return the buffers of their stack."""
    try:
        return agent.actions.check_stack(actions, rows)
    except _Wrong as error:
        raise _refusal(agent, rows, error) from error


def check_rows(agent: Agent, actions: Any, rows: int) -> list[list[Buffer]]:
    """Check a batch of actions, and return the buffers of each row."""
    codec = agent.actions
    if codec.sizes is None:
        try:
            batch = iterate(batch_space(agent.action_space, rows), actions)
            return [codec.flatten([codec.check(value)]) for value in batch]
        except _Wrong as error:
            raise _refusal(agent, rows, error) from error
    parts = zip(check_stack(agent, actions, rows), codec.sizes, strict=True)
    columns = [[data[row * size : (row + 1) * size] for row in range(rows)] for data, size in parts]
    return [list(row) for row in zip(*columns, strict=True)]


def _refusal(agent: Agent, rows: int, error: Exception) -> InvalidAction:
    return InvalidAction(f"the actions are not {rows} of {agent.action_space}: {error}")


def make_room(batch: NDArray[Any], mask: NDArray[np.bool_], value: Any) -> NDArray[Any]:
    """Return a batch of infos that can hold one more info without a change of its value.

    NumPy would cut a real number to the integers of other rows, and spread a number over an array.
    So the result has the numbers in a common type, or objects and None for rows outside of `mask`.
    """
    dtype, is_number = batch.dtype, batch.ndim == mask.ndim
    if dtype.kind == "O" or (is_number and type(value) is _NUMBERS.get(dtype.kind)):
        return batch
    row, new = batch.shape[mask.ndim :], np.asarray(value)
    if new.shape == row and new.dtype.kind in "biuf":
        return batch.astype(np.result_type(dtype, new.dtype), copy=False)
    objects = np.full(mask.shape, None, object)
    for place in zip(*mask.nonzero(), strict=True):
        objects[place] = batch[place] if row else batch[place].item()
    return objects


def to_rows(batch: Any) -> Any:
    """Reshape a batch (simulations, agents, ...) to a row for each agent."""
    if isinstance(batch, dict):
        return {key: to_rows(part) for key, part in batch.items()}
    if isinstance(batch, tuple):
        return tuple(map(to_rows, batch))
    return batch.reshape(-1, *batch.shape[2:])


Index = int | slice | NDArray[np.int64]
_MAX_GROUPS = 1024


class AgentRows:
    """The latest observation, reward and flags of each agent.

    The agent at place `p` of simulation `m` has row `m * agents + p`.
    """

    def __init__(
        self, agent: Agent, names: Iterable[str], num_envs: int, agents: int, *, single: bool
    ) -> None:
        count = num_envs * agents
        self.agents, self.single = agents, single
        self.placeholder = placeholder_observation(agent.observation_space)
        self.observations = create_empty_array(agent.observation_space, count)
        self.rewards = np.zeros(count, np.float64)
        self.terminations = np.zeros(count, np.bool_)
        self.truncations = np.zeros(count, np.bool_)
        self.deciding = np.zeros(count, np.bool_)
        self.alive = np.zeros(count, np.bool_)
        self.times = np.zeros(num_envs, np.int64)
        self.names: list[str] = []
        self.rename(names)

    def rename(self, names: Iterable[str]) -> None:
        """Replace the agents; none is alive."""
        new = list(names)
        if len(new) > self.agents:
            raise ParameterError(f"the state has {len(new)} agents, not {self.agents}")
        self.names[:] = new
        self._places = {name: place for place, name in enumerate(new)}
        self._of_groups: dict[AgentGroup, slice | NDArray[np.int64]] = {}
        self.alive[:] = self.deciding[:] = False

    # ------------------------------------------------------------------ places of agents

    def place(self, agent: str) -> int:
        """Return the place of an agent; an agent that joins gets the next one."""
        if agent not in self._places:
            if self.single:
                raise NotSingleAgent(
                    f"['{agent}'] joined an environment of one agent: a run needs max_agents, a "
                    "vector api='parallel' and max_agents"
                )
            if len(self._places) == self.agents:
                raise ParameterError(
                    f"{agent} joined {self.agents} others; set max_agents={self.agents + 1}"
                )
            self._places[agent] = len(self._places)
            self.names.append(agent)
        return self._places[agent]

    def places(self, group: AgentGroup) -> slice | NDArray[np.int64]:
        """Return the places of a group of agents."""
        known = self._of_groups.get(group)
        if known is None:
            if len(self._of_groups) >= _MAX_GROUPS:
                self._of_groups.clear()
            places = [self.place(agent) for agent in group.names]
            following = list(range(places[0], places[0] + len(places)))
            known = slice(places[0], places[-1] + 1) if places == following else np.array(places)
            self._of_groups[group] = known
        return known

    def of_member(self, member: int) -> slice:
        """Return the rows of a simulation."""
        return slice(member * self.agents, (member + 1) * self.agents)

    def _rows(self, member: int, group: AgentGroup) -> slice | NDArray[np.int64]:
        if self.single:
            return slice(member, member + 1)
        first, places = member * self.agents, self.places(group)
        if isinstance(places, slice):
            return slice(first + places.start, first + places.stop)
        return first + places

    def _index(self, member: int) -> Index:
        return member if self.single else self.of_member(member)

    def observation(self, member: int) -> Any:
        """Return a copy of the observations of a simulation; a single agent has no axis."""
        return copy_batch(take_rows(self.observations, self._index(member)))

    # ------------------------------------------------------------------ writing

    def see(self, member: int, observation: Any) -> None:
        """Write the observations of a simulation, in the form that `observation()` returns."""
        self.observations = write(self.observations, self._index(member), observation)

    def begin(self, member: int, live: Iterable[str]) -> None:
        """Begin an episode with some agents, before their first observation."""
        first, mine = member * self.agents, self.of_member(member)
        self.see(member, self.placeholder)
        self.alive[mine] = False
        for agent in live:
            self.alive[first + self.place(agent)] = True

    def clear(self, member: int) -> None:
        """Clear rewards, ends and decisions of a simulation."""
        mine = self._index(member)
        self.rewards[mine] = 0.0
        self.terminations[mine] = self.truncations[mine] = self.deciding[mine] = False

    def clear_all(self) -> None:
        """Clear rewards and ends of all simulations."""
        self.rewards[:] = 0.0
        self.terminations[:] = self.truncations[:] = False

    def take(self, member: int, received: Round) -> None:
        """Write a round of an episode, or its end."""
        self.clear(member)
        first, self.times[member] = member * self.agents, received.time_ns
        for agent in received.joined:
            self.alive[first + self.place(agent)] = True
        self._end(member, received.ended)
        for steps in received.asked:
            rows = self._rows(member, steps.group)
            self.observations = write(self.observations, rows, steps.observations)
            self.rewards[rows] = steps.rewards
            self.deciding[rows] = True

    def _end(self, member: int, ended: Iterable[AgentEnd]) -> None:
        for end in ended:
            row = member * self.agents + self.place(end.agent)
            if end.observation is not None:
                self.observations = write(self.observations, row, end.observation)
            self.rewards[row] = end.reward
            self.terminations[row], self.truncations[row] = end.terminated, not end.terminated
            self.alive[row] = False
            if self.single:
                self.times[member] = end.time_ns

    def cut(self, member: int) -> None:
        """Truncate the episode of a lost simulation."""
        self.clear(member)
        mine = self.of_member(member)
        self.truncations[mine], self.alive[mine] = self.alive[mine], False

    def take_fragment(self, member: int, received: Round) -> None:
        """Write the last observations of a fragment, if the round after it has no newer ones."""
        played = received.trajectory
        assert played is not None
        informed = {name for steps in received.asked for name in steps.group.names}
        informed.update(end.agent for end in received.ended if end.observation is not None)
        last = {played.names[index]: row for row, index in enumerate(played.agents)}
        silent = [agent for agent in last if agent not in informed]
        if silent:
            rows = member * self.agents + np.array([self.place(agent) for agent in silent])
            seen = take_rows(played.observations, [last[agent] for agent in silent])
            self.observations = write(self.observations, rows, seen)

    def keep_flags(self, member: int) -> Callable[[], None]:
        """Return a function that restores the current rewards and flags of a simulation."""
        mine = self.of_member(member)
        flags = (self.rewards, self.terminations, self.truncations)
        kept = [each[mine].copy() for each in flags]

        def restore() -> None:
            for each, value in zip(flags, kept, strict=True):
                each[mine] = value

        return restore
