# SPDX-License-Identifier: GPL-2.0-only
"""Rounds of a running simulation, independent of sockets and protobuf."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.bridge.codec import Buffer, Space, ValueCodec
from defiance_zoo.bridge.codec.masks import observes_mask
from defiance_zoo.bridge.messages.communication_reports import CommunicationReport
from defiance_zoo.bridge.messages.fragments import Trajectory
from defiance_zoo.bridge.messages.transfer_reports import TransferReport

_REWARD = struct.Struct("<d")
_GROUP = operator.attrgetter("group")


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent as the simulation introduced it."""

    name: str
    observation_space: Space
    action_space: Space
    observations: ValueCodec
    actions: ValueCodec

    @property
    def spaces(self) -> tuple[Space, Space]:
        """The observation and the action space."""
        return self.observation_space, self.action_space


class AgentStep(NamedTuple):
    """An agent asks for a decision.

    Attributes:
        agent: Its name.
        observation: A value of the observation space; arrays are read-only.
        reward: Sum of rewards since its last step.
        info: The scenario's typed infos.
    """

    agent: str
    observation: Any
    reward: float
    info: dict[str, Any]


class AgentEnd(NamedTuple):
    """An agent has decided for the last time.

    Attributes:
        agent: Its name.
        observation: Final observation; None without any observation.
        reward: Sum of rewards since its last step.
        terminated: Whether the scenario ended the agent; otherwise it was truncated.
        info: The scenario's typed infos.
        time_ns: Simulated time in nanoseconds.
    """

    agent: str
    observation: Any
    reward: float
    terminated: bool
    info: dict[str, Any]
    time_ns: int


class AgentGroup:
    """Agents with equal spaces that decide together, in the order of their rows.

    `names` and `members` are the same names; `observations` and `actions` are codecs.
    """

    __slots__ = ("actions", "members", "names", "observations", "observes_mask")

    def __init__(self, agents: list[Agent]) -> None:
        self.names = tuple([agent.name for agent in agents])
        self.members = frozenset(self.names)
        self.observations = agents[0].observations
        self.actions = agents[0].actions
        self.observes_mask = observes_mask(agents[0].observation_space)

    def read_actions(self, buffers: Iterator[Buffer]) -> list[Any]:
        """Return the agents' actions from the next buffers."""
        count = len(self.names)
        return self.actions.values(self.actions.assemble(buffers, count), count)

    def buffer_sizes(self, codec: ValueCodec) -> list[int] | None:
        """Return the size of each buffer of a stack of actions; None if it holds texts."""
        if codec.sizes is None:
            return None
        return [size * len(self.names) for size in codec.sizes]


class AgentSteps:
    """A group of agents asks for decisions."""

    __slots__ = ("buffers", "group", "infos", "reward_bytes")

    def __init__(
        self,
        group: AgentGroup,
        buffers: Sequence[Buffer],
        reward_bytes: bytes,
        infos: dict[int, dict[str, Any]],
    ) -> None:
        self.group, self.buffers = group, buffers
        self.reward_bytes, self.infos = reward_bytes, infos

    @property
    def observations(self) -> Any:
        """A stack of observations, as in `ValueCodec`; its arrays are read-only."""
        return self.group.observations.assemble(iter(self.buffers), len(self.group.names))

    @property
    def rewards(self) -> NDArray[np.float64]:
        """Rewards by row, read-only, shape (agents,)."""
        return np.frombuffer(self.reward_bytes, np.float64)

    def without_initial_rewards(self, undecided: set[str]) -> AgentSteps:
        """Turn rewards before an agent's first decision, which follow no action, into infos."""
        rewards = self.rewards.copy()
        infos = dict(self.infos)
        for row, name in enumerate(self.group.names):
            if name in undecided and rewards[row]:
                infos[row] = {**infos.get(row, {}), "initial_reward": float(rewards[row])}
                rewards[row] = 0.0
        return AgentSteps(self.group, self.buffers, rewards.tobytes(), infos)

    def solo(self) -> tuple[Any, float, dict[str, Any]]:
        """Return observation, reward and info of the only agent."""
        (reward,) = _REWARD.unpack(self.reward_bytes)
        return self.group.observations.single(self.buffers), reward, self.infos.get(0, {})

    def unstack(self) -> list[AgentStep]:
        """Return the steps of the agents."""
        names, infos = self.group.names, self.infos
        if len(names) == 1:
            return [AgentStep(names[0], *self.solo())]
        values = self.group.observations.values(self.observations, len(names))
        rewards = self.rewards.tolist()
        return [
            AgentStep(name, value, reward, infos.get(row, {}))
            for row, (name, value, reward) in enumerate(zip(names, values, rewards, strict=True))
        ]


class Round:
    """Simulated time stands still until the agents of `groups` have decided.

    Attributes:
        time_ns: Simulated time in nanoseconds.
        late_rewards: At the end of the episode: agents that got rewards after their end.
        groups: Groups of agents that decide now; empty at the end of the episode.
        asked: The observations and infos of each group.
        joined: Names of the agents that joined since the last round.
        ended: Agents that ended since the last round.
        transfers: Transfers that have finished since the last round.
        communication: Traffic of the whole episode at its end, if it was counted.
        over: Whether the episode is over.
        trajectory: Decisions of the fragment before the round, if one was ordered.
    """

    trajectory: Trajectory | None = None
    late_rewards: tuple[str, ...] = ()

    # Not a `functools.cached_property`: that takes a lock, once for every round.
    _steps: tuple[AgentStep, ...] | None = None

    def __init__(
        self,
        time_ns: int,
        asked: tuple[AgentSteps, ...],
        joined: tuple[str, ...],
        ended: tuple[AgentEnd, ...],
        transfers: tuple[TransferReport, ...] = (),
        communication: CommunicationReport | None = None,
        *,
        over: bool,
    ) -> None:
        self.time_ns, self.asked, self.over = time_ns, asked, over
        self.joined, self.ended, self.transfers = joined, ended, transfers
        self.communication = communication
        self.groups: tuple[AgentGroup, ...] = tuple(map(_GROUP, asked))

    @property
    def steps(self) -> tuple[AgentStep, ...]:
        """Agents that decide now, one by one."""
        if self._steps is None:
            steps: list[AgentStep] = []
            for each in self.asked:
                steps += each.unstack()
            self._steps = tuple(steps)
        return self._steps

    def solo(self) -> tuple[Any, float, dict[str, Any]]:
        """Return observation, reward and info of the only deciding agent."""
        (steps,) = self.asked
        return steps.solo()

    @property
    def news(self) -> tuple[AgentStep | AgentEnd, ...]:
        """All steps and ends of agents, ends first."""
        return (*self.ended, *self.steps)

    def time_of(self, each: AgentStep | AgentEnd) -> int:
        """Return the simulated time of a step or an end, in nanoseconds."""
        return each.time_ns if isinstance(each, AgentEnd) else self.time_ns


def find_reward_fault(received: Round) -> str | None:
    """Describe the first reward of a round that is not a finite number; None if all are."""
    for end in received.ended:
        if not math.isfinite(end.reward):
            return _describe_reward(end.agent, end.reward)
    for steps in received.asked:
        # A sum is not finite if a number is not; for few numbers it is faster than NumPy.
        if math.isfinite(sum(memoryview(steps.reward_bytes).cast("d"))):
            continue
        for row in np.flatnonzero(~np.isfinite(steps.rewards)):
            return _describe_reward(steps.group.names[row], steps.rewards[row])
    played = received.trajectory
    if played is not None:
        for row in np.flatnonzero(~np.isfinite(played.rewards)):
            return _describe_reward(played.names[played.agents[row]], played.rewards[row])
    return None


def _describe_reward(agent: str, reward: float) -> str:
    return f"the reward of agent {agent!r} is {reward}, but must be a finite number"


def find_fault(received: Round) -> str | None:
    """Return the fault of the first observation of a round that is out of bounds."""
    for steps in received.asked:
        names = steps.group.names
        fault = steps.group.observations.find_fault(steps.observations, len(names))
        if fault is not None:
            return (
                f"the observation of agent {names[fault.row]!r} is not of its observation space: "
                f"{fault.reason}"
            )
    return None


class Turn:
    """The position in a conversation, kept by its simulation.

    `BatchedTurn` is the turn of a simulation whose rounds are played in a batch.
    """

    __slots__ = ("awaits_reply", "sequence", "time_ns")

    sequence: int
    time_ns: int
    awaits_reply: bool

    def __init__(self, sequence: int = 0, time_ns: int = 0, *, awaits_reply: bool = False) -> None:
        self.sequence, self.time_ns, self.awaits_reply = sequence, time_ns, awaits_reply

    def take_back(self) -> None:
        """Leave the batch that plays the rounds, if there is one."""
