# SPDX-License-Identifier: GPL-2.0-only
"""The agents of a simulation, as the simulation introduces them."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec import codec_for, decode_space
from defiance_zoo.bridge.codec.masks import take_masks
from defiance_zoo.bridge.messages.rounds import Agent
from defiance_zoo.bridge.messages.templates import RoundTemplate, RoundTemplates
from defiance_zoo.errors import MalformedMessage

_MAX_TEAMS = 64


class AgentCache:
    """Decoded agents, which are reused in later episodes with the same agents.

    So agents keep their space objects, and rounds keep their templates.
    """

    def __init__(self, *, bounded: bool = True) -> None:
        self._bounded = bounded
        self._agents: dict[tuple[Any, ...], Agent] = {}
        self._layouts: dict[tuple[int, ...], RoundTemplates] = {}

    def agent(self, spec: pb.AgentSpec) -> Agent:
        """Return an agent, the same object for the same description."""
        description = (spec.agent, *map(_bytes, (spec.observation_space, spec.action_space)))
        agent = self._agents.get(description)
        if agent is None:
            agent = self._agents[description] = _decode_agent(spec, bounded=self._bounded)
        return agent

    def __deepcopy__(self, memo: dict[int, Any]) -> AgentCache:
        """Copy the agents with their spaces; templates of rounds are rebuilt."""
        other = AgentCache(bounded=self._bounded)
        other._agents = copy.deepcopy(self._agents, memo)
        return other

    def templates(self, agents: list[Agent]) -> RoundTemplates:
        """Return the templates of rounds of these agents, numbered in this order."""
        if len(self._layouts) > _MAX_TEAMS:
            self._layouts.clear()
        key = tuple(map(id, agents))  # the agents are kept here, so ids are not reused
        if key not in self._layouts:
            self._layouts[key] = RoundTemplates(list(agents))
        return self._layouts[key]


class AgentRoster:
    """The agents of one simulation, by their numbers."""

    def __init__(self, agent_cache: AgentCache) -> None:
        self._agent_cache = agent_cache
        self._by_index: list[Agent] = []
        self.ended: set[int] = set()
        self.agents: dict[str, Agent] = {}
        self.templates = agent_cache.templates([])

    def introduce(self, specs: Iterable[pb.AgentSpec]) -> tuple[str, ...]:
        """Note agents, and return their names."""
        names = []
        for spec in specs:
            if not spec.agent:
                raise MalformedMessage(f"agent number {spec.index} has no name")
            if spec.index != len(self._by_index) or spec.agent in self.agents:
                raise MalformedMessage(f"agent {spec.agent!r} introduced out of order")
            agent = self._agent_cache.agent(spec)
            self._by_index.append(agent)
            self.agents[agent.name] = agent
            names.append(agent.name)
        if names:
            self.templates = self._agent_cache.templates(self._by_index)
        return tuple(names)

    def admit(self, agents: Iterable[Agent], ended: Iterable[int]) -> None:
        """Take over another simulation's agents, in their order, with the ended ones."""
        for agent in agents:
            self._by_index.append(agent)
            self.agents[agent.name] = agent
        self.ended.update(ended)
        self.templates = self._agent_cache.templates(self._by_index)

    def agent(self, index: int) -> Agent:
        """Return an agent by its number."""
        if index >= len(self._by_index):
            raise MalformedMessage(f"agent number {index}, which was never introduced")
        return self._by_index[index]

    def end(self, index: int) -> Agent:
        """Note that an agent has ended, and return it."""
        agent = self.agent(index)
        if index in self.ended:
            raise MalformedMessage(f"{agent.name} ended twice")
        self.ended.add(index)
        return agent

    def require_ends(self) -> None:
        """Refuse the end of the episode while agents have not ended."""
        if len(self.ended) < len(self._by_index):
            left = [a.name for i, a in enumerate(self._by_index) if i not in self.ended]
            raise MalformedMessage(f"the episode ended, but not {', '.join(left)}")

    def can_ask(self, template: RoundTemplate) -> bool:
        """Return whether no agent of a round has ended."""
        return self.ended.isdisjoint(template.members)

    def require_living(self, template: RoundTemplate) -> None:
        """Refuse a round in which an agent asks after its end."""
        if not self.can_ask(template):
            names = [self._by_index[index].name for index in sorted(template.members & self.ended)]
            raise MalformedMessage(f"{', '.join(names)} asks after its end")


def _bytes(space: pb.Space) -> bytes:
    return space.SerializeToString(deterministic=True)


def _decode_agent(spec: pb.AgentSpec, *, bounded: bool) -> Agent:
    observation_space = decode_space(spec.observation_space)
    action_space = take_masks(decode_space(spec.action_space))
    return Agent(
        name=spec.agent,
        observation_space=observation_space,
        action_space=action_space,
        observations=codec_for(observation_space),
        actions=codec_for(action_space, bounded=bounded),
    )
