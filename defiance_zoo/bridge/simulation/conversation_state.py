# SPDX-License-Identifier: GPL-2.0-only
"""The state of a conversation while the simulation waits for a reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from defiance_zoo.bridge.messages.rounds import Agent
from defiance_zoo.bridge.simulation.seeding import RngState


@dataclass(frozen=True, slots=True)
class ConversationState:
    """The messages that a simulation does not repeat when it is restored.

    Attributes:
        agents: Agents introduced so far, in the order of introduction.
        ended: Numbers of agents that have ended.
        asked: Numbers of the deciding agents, by group.
        sequence: Number of the request that waits for its reply.
        time_ns: Simulated time in nanoseconds.
        rng: Seed and run.
        scenario: Name of the scenario, as the simulation reports it.
        parameters: Parameters in effect.
    """

    agents: tuple[Agent, ...]
    ended: frozenset[int]
    asked: tuple[tuple[int, ...], ...]
    sequence: int
    time_ns: int
    rng: RngState
    scenario: str
    parameters: Mapping[str, str]
