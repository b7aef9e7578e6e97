# SPDX-License-Identifier: GPL-2.0-only
"""What a running simulation tells, free of sockets and protobuf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from defiance_zoo.codec import Decoder, Encoder
from defiance_zoo.codec.spaces import Space


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent as the simulation introduced it."""

    name: str
    observation_space: Space
    action_space: Space
    decode_observation: Decoder
    encode_action: Encoder


@dataclass(frozen=True, slots=True)
class AgentStep:
    """An agent asks for a decision.

    Attributes:
        agent: Its name.
        observation: A value of its observation space; arrays are read-only.
        reward: Summed since its last step.
        info: The scenario's typed infos.
    """

    agent: str
    observation: Any
    reward: float
    info: dict[str, Any]


@dataclass(frozen=True, slots=True)
class AgentEnd:
    """An agent has decided for the last time.

    Attributes:
        agent: Its name.
        observation: Its final observation, or None if it never had one.
        reward: Summed since its last step.
        terminated: The scenario ended it; otherwise it was truncated.
        info: The scenario's typed infos.
    """

    agent: str
    observation: Any
    reward: float
    terminated: bool
    info: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Round:
    """Simulated time stands still until the agents of `steps` have decided.

    Attributes:
        time_ns: Simulated time in nanoseconds.
        joined: Names of the agents that came since the last event.
        ended: Agents that ended since the last event.
        steps: Agents that decide now; none once the episode is over.
        over: The episode is over.
    """

    time_ns: int
    joined: tuple[str, ...]
    ended: tuple[AgentEnd, ...]
    steps: tuple[AgentStep, ...]
    over: bool

    @property
    def news(self) -> tuple[AgentStep | AgentEnd, ...]:
        """Everything that is said of agents, ends first."""
        return (*self.ended, *self.steps)
