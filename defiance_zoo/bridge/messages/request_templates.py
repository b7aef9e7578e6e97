# SPDX-License-Identifier: GPL-2.0-only
"""Templates of requests, whose fields are read by position, without parsing."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Sequence
from typing import Any

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.messages.info_templates import (
    NUMBER_BYTES,
    InfoReader,
    InfoTemplate,
    info_templates,
    write_infos,
)
from defiance_zoo.bridge.messages.round_templates import (
    Key,
    MessageTemplate,
    RoundTemplate,
    fill,
    message_template,
)
from defiance_zoo.bridge.messages.rounds import Agent, AgentGroup, AgentSteps, Round
from defiance_zoo.errors import MalformedMessage

_MAX_TEMPLATES = 512
_DOUBLE = struct.Struct("<d")
_TIME = struct.Struct("<q").unpack


class _RequestTemplate:
    """Requests of one template with only steps, and infos of one template.

    Attributes:
        template: Template of the deciding agents.
        groups: The groups of agents, with the positions and readers of their observations, rewards
            and infos.
    """

    def __init__(self, template: RoundTemplate, infos: tuple[InfoTemplate, ...]) -> None:
        self.template = template
        self.groups: list[tuple[AgentGroup, slice, int, slice, InfoReader]] = []
        first = 3  # after constants, sequence and time
        for group, info in zip(template.groups, infos, strict=True):
            rewards = first + len(group.observations.sizes or ())
            reader = InfoReader(info)
            end = rewards + 1 + len(reader.sizes)
            self.groups.append(
                (group, slice(first, rewards), rewards, slice(rewards + 1, end), reader)
            )
            first = end


class _TemplateRound(Round):
    """A round with only steps, whose objects are made on demand."""

    joined = ()
    ended = ()
    transfers = ()
    communication = None
    over = False
    _asked: tuple[AgentSteps, ...] | None = None

    def __init__(self, request: _RequestTemplate, parts: tuple[bytes, ...], time_ns: int) -> None:
        self._request, self._parts, self.time_ns = request, parts, time_ns
        self.groups = request.template.groups

    @property
    def asked(self) -> tuple[AgentSteps, ...]:
        if self._asked is None:
            parts = self._parts
            self._asked = tuple(
                [
                    AgentSteps(group, parts[fields], parts[rewards], infos.read(parts[info_fields]))
                    for group, fields, rewards, info_fields, infos in self._request.groups
                ]
            )
        return self._asked

    @asked.setter
    def asked(self, asked: tuple[AgentSteps, ...]) -> None:
        self._asked = asked

    def solo(self) -> tuple[Any, float, dict[str, Any]]:
        group, fields, rewards, info_fields, infos = self._request.groups[0]
        parts = self._parts
        observation, reward = group.single(parts[fields], parts[rewards])
        return observation, reward, infos.read(parts[info_fields]).get(0, {})


class RoundTemplates:
    """All templates of the rounds of some agents, found by the form of their requests."""

    def __init__(self, agents: list[Agent]) -> None:
        """Take the agents by their numbers."""
        self._agents = agents
        self._templates: dict[Key, RoundTemplate] = {}
        self._messages: dict[int, MessageTemplate] = {}
        self._requests: dict[bytes, _RequestTemplate] = {}
        self._seen: Counter[tuple[Key, tuple[InfoTemplate, ...]]] = Counter()

    def read(
        self, frame: bytes, number: bytes, since_ns: int = 0
    ) -> tuple[Round, RoundTemplate] | None:
        """Return the round of a request with a known form; None for an unknown form.

        Args:
            frame: The message.
            number: The expected number of the request, as encoded.
            since_ns: The earliest allowed time, in nanoseconds.
        """
        message = self._messages.get(len(frame))
        if message is None:
            return None
        parts = message.split(frame)
        request = self._requests.get(parts[0])
        if request is None or parts[1] != number:
            return None
        (time_ns,) = _TIME(parts[2])
        return (
            (_TemplateRound(request, parts, time_ns), request.template)
            if time_ns >= since_ns
            else None
        )

    def of(self, request: pb.StepRequest) -> RoundTemplate:
        """Return the template of a request.

        Args:
            request: The request, whose agents are known.

        Raises:
            MalformedMessage: See `template()`.
        """
        return self.template(tuple([tuple(steps.agents) for steps in request.steps]))

    def learn(self, template: RoundTemplate, request: pb.StepRequest, frame: bytes) -> None:
        """Remember the form of a request, if other requests may have it.

        Args:
            template: Template of the request.
            request: The request, whose observations and infos have been read.
            frame: The whole message.
        """
        infos = info_templates(request.steps)
        if infos is None or request.joined or request.ended or request.transfers:
            return
        if len(self._seen) >= _MAX_TEMPLATES:
            self._seen.clear()
        self._seen[template.key, infos] += 1
        if self._seen[template.key, infos] == 2:  # a third request is likely then
            self._remember(template, infos, frame)

    def template(self, key: Key) -> RoundTemplate:
        """Return the template of rounds of agents with these numbers, by group.

        Raises:
            MalformedMessage: Agents with different spaces ask as one group, or an agent asks twice.
        """
        template = self._templates.get(key)
        if template is None:
            self._require_unique([index for indices in key for index in indices])
            if len(self._templates) >= _MAX_TEMPLATES:
                self._forget()
            template = self._templates[key] = RoundTemplate(key, tuple(map(self._group, key)))
        return template

    def _require_unique(self, indices: list[int]) -> None:
        if len(set(indices)) < len(indices):
            twice = next(each for each in indices if indices.count(each) > 1)
            raise MalformedMessage(f"{self._agents[twice].name} asks twice in a round")

    def _group(self, indices: Sequence[int]) -> AgentGroup:
        first, *others = agents = [self._agents[index] for index in indices]
        for other in others:
            if (other.observation_space, other.action_space) != (
                first.observation_space,
                first.action_space,
            ):
                raise MalformedMessage(
                    f"{first.name} and {other.name} ask together, but their spaces differ"
                )
        return AgentGroup(agents)

    def _forget(self) -> None:
        for book in (self._templates, self._messages, self._requests, self._seen):
            book.clear()

    def _remember(
        self, template: RoundTemplate, infos: tuple[InfoTemplate, ...], frame: bytes
    ) -> None:
        message = _request_message(template, infos)
        if message is None or message.length != len(frame):
            return
        if len(self._requests) >= _MAX_TEMPLATES:
            self._forget()
        known = self._messages.setdefault(message.length, message)
        if known.fields == message.fields:
            self._requests[message.constants] = _RequestTemplate(template, infos)
            if not any(infos):
                template.request = message


def _request_message(
    template: RoundTemplate, infos: tuple[InfoTemplate, ...]
) -> MessageTemplate | None:
    sizes = [group.buffer_sizes(group.observations) for group in template.groups]
    if None in sizes:
        return None

    def write(filler: int) -> bytes:
        filled = fill(NUMBER_BYTES, filler)
        number = int.from_bytes(filled, "little")
        request = pb.StepRequest(sequence=number, sim_time_ns=number)
        rows = zip(template.key, template.groups, sizes, infos, strict=True)
        for indices, group, each, info in rows:
            steps = request.steps.add(agents=indices)
            buffers = [fill(size, filler) for size in each or ()]
            group.observations.push(steps.observations, iter(buffers), len(indices))
            steps.rewards.extend([float(_DOUBLE.unpack(filled)[0])] * len(indices))
            write_infos(info, filler, steps)
        return pb.SimulationMessage(step_request=request).SerializeToString()

    fields = [NUMBER_BYTES, NUMBER_BYTES]
    for group, each, info in zip(template.groups, sizes, infos, strict=True):
        fields += [*(each or ()), NUMBER_BYTES * len(group.names), *InfoReader(info).sizes]
    return message_template(write, fields)
