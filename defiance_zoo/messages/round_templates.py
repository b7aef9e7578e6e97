# SPDX-License-Identifier: GPL-2.0-only
"""Rounds of the same agents look the same on the wire: how they are read and answered is kept."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.codec import Buffer, MessageTemplate
from defiance_zoo.errors import MalformedMessage
from defiance_zoo.messages.info_templates import (
    NUMBER_BYTES,
    InfoReader,
    InfoShape,
    info_shapes,
    write_infos,
)
from defiance_zoo.messages.rounds import Agent, AgentGroup, AgentSteps, Round
from defiance_zoo.messages.transfer_reports import Transfer, write_orders

_MAX_LAYOUTS = 512
_DOUBLE = struct.Struct("<d")
_TIME = struct.Struct("<q").unpack
_Key = tuple[tuple[int, ...], ...]


class RoundTemplate:
    """Rounds in which the same groups of agents ask.

    Attributes:
        key: Numbers of the agents, by group.
        members: The same, of all groups.
        groups: The groups.
        reply: What answers look like, if they are of one size.
        request: What requests look like that hold nothing but steps without infos, once known.
    """

    def __init__(self, key: _Key, groups: tuple[AgentGroup, ...]) -> None:
        """Take the groups of a round."""
        self.key, self.groups = key, groups
        self.members = frozenset(index for indices in key for index in indices)
        self.reply = self._make_reply()
        self.request: MessageTemplate | None = None

    def answer(
        self, number: bytes, actions: list[Buffer], orders: Sequence[Transfer] = ()
    ) -> bytes:
        """Return the message that answers a round.

        Args:
            number: Of the request, as it is written.
            actions: Buffers of a stack of actions for each group, one group after the other.
            orders: Transfers that begin now.
        """
        if self.reply is None or orders:
            return self._write_reply(number, actions, orders)
        return self.reply.join(number, *actions)

    def _make_reply(self) -> MessageTemplate | None:
        sizes = [group.buffer_sizes(group.actions) for group in self.groups]
        if None in sizes:
            return None

        def write(filler: int) -> bytes:
            buffers = [_fill(size, filler) for each in sizes for size in each or ()]
            return self._write_reply(_fill(NUMBER_BYTES, filler), buffers)

        fields = [NUMBER_BYTES, *(size for each in sizes for size in each or ())]
        return _template(write, fields)

    def _write_reply(
        self, number: bytes, actions: Sequence[Buffer], orders: Sequence[Transfer] = ()
    ) -> bytes:
        reply = pb.StepReply(sequence=int.from_bytes(number, "little"), command=pb.COMMAND_STEP)
        buffers = iter(actions)
        for group in self.groups:
            group.actions.push(reply.actions.add(), buffers, len(group.names))
        write_orders(orders, reply)
        return pb.PythonMessage(step_reply=reply).SerializeToString()


class _RequestTemplate:
    """Requests of one layout that hold nothing but steps, with infos of one shape.

    Attributes:
        layout: Whom they ask.
        groups: The groups of agents, with the places of their observations, rewards and infos, and
            how these are read.
    """

    def __init__(self, layout: RoundTemplate, shapes: tuple[InfoShape, ...]) -> None:
        self.layout = layout
        self.groups: list[tuple[AgentGroup, slice, int, slice, InfoReader]] = []
        first = 3  # after constants, sequence and time
        for group, shape in zip(layout.groups, shapes, strict=True):
            rewards = first + len(group.observations.sizes or ())
            infos = InfoReader(shape)
            end = rewards + 1 + len(infos.sizes)
            self.groups.append(
                (group, slice(first, rewards), rewards, slice(rewards + 1, end), infos)
            )
            first = end


class _TemplateRound(Round):
    """A round with no news but its steps; made from its parts when they are asked for."""

    joined = ()
    ended = ()
    transfers = ()
    communication = None
    over = False
    _asked: tuple[AgentSteps, ...] | None = None

    def __init__(self, request: _RequestTemplate, parts: tuple[bytes, ...], time_ns: int) -> None:
        self._request, self._parts, self.time_ns = request, parts, time_ns
        self.groups = request.layout.groups

    @property
    def asked(self) -> tuple[AgentSteps, ...]:
        if self._asked is None:
            parts = self._parts
            self._asked = tuple(
                [
                    AgentSteps(group, parts[fields], parts[rewards], infos.read(parts[told]))
                    for group, fields, rewards, told, infos in self._request.groups
                ]
            )
        return self._asked

    @asked.setter
    def asked(self, asked: tuple[AgentSteps, ...]) -> None:
        self._asked = asked

    def solo(self) -> tuple[Any, float, dict[str, Any]]:
        group, fields, rewards, told, infos = self._request.groups[0]
        parts = self._parts
        observation, reward = group.single(parts[fields], parts[rewards])
        return observation, reward, infos.read(parts[told]).get(0, {})


class RoundTemplates:
    """All layouts of the rounds of some agents, found by what their requests look like."""

    def __init__(self, agents: list[Agent]) -> None:
        """Take the agents by their numbers."""
        self._agents = agents
        self._layouts: dict[_Key, RoundTemplate] = {}
        self._templates: dict[int, MessageTemplate] = {}
        self._requests: dict[bytes, _RequestTemplate] = {}
        self._seen: Counter[tuple[_Key, tuple[InfoShape, ...]]] = Counter()

    def read(
        self, frame: bytes, number: bytes, since_ns: int = 0
    ) -> tuple[Round, RoundTemplate] | None:
        """Return a request that looks like one seen before; None if it does not.

        Args:
            frame: The message.
            number: The number that it should have, as it is written.
            since_ns: The earliest time that it may have, in nanoseconds.
        """
        template = self._templates.get(len(frame))
        if template is None:
            return None
        parts = template.split(frame)
        request = self._requests.get(parts[0])
        if request is None or parts[1] != number:
            return None
        (time_ns,) = _TIME(parts[2])
        return (
            (_TemplateRound(request, parts, time_ns), request.layout)
            if time_ns >= since_ns
            else None
        )

    def of(self, request: pb.StepRequest) -> RoundTemplate:
        """Return the layout of a request.

        Args:
            request: The request, whose agents are known.

        Raises:
            MalformedMessage: See `layout()`.
        """
        return self.layout(tuple([tuple(steps.agents) for steps in request.steps]))

    def learn(self, layout: RoundTemplate, request: pb.StepRequest, frame: bytes) -> None:
        """Remember what a request looks like, if others may look like it.

        Args:
            layout: Its layout.
            request: The request, whose observations and infos have been read.
            frame: The whole message.
        """
        shapes = info_shapes(request.steps)
        if shapes is None or request.joined or request.ended or request.transfers:
            return
        if len(self._seen) >= _MAX_LAYOUTS:
            self._seen.clear()
        self._seen[layout.key, shapes] += 1
        if self._seen[layout.key, shapes] == 2:  # a third one is likely then
            self._remember(layout, shapes, frame)

    def layout(self, key: _Key) -> RoundTemplate:
        """Return the layout of rounds in which agents of these numbers ask, by group.

        Raises:
            MalformedMessage: Agents of different spaces ask as one group, or one asks twice.
        """
        layout = self._layouts.get(key)
        if layout is None:
            self._require_unique([index for indices in key for index in indices])
            if len(self._layouts) >= _MAX_LAYOUTS:
                self._forget()
            layout = self._layouts[key] = RoundTemplate(key, tuple(map(self._group, key)))
        return layout

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
        for book in (self._layouts, self._templates, self._requests, self._seen):
            book.clear()

    def _remember(self, layout: RoundTemplate, shapes: tuple[InfoShape, ...], frame: bytes) -> None:
        template = _request_template(layout, shapes)
        if template is None or template.length != len(frame):
            return
        if len(self._requests) >= _MAX_LAYOUTS:
            self._forget()
        known = self._templates.setdefault(template.length, template)
        if known.fields == template.fields:
            self._requests[template.constants] = _RequestTemplate(layout, shapes)
            if not any(shapes):
                layout.request = template


def _request_template(
    layout: RoundTemplate, shapes: tuple[InfoShape, ...]
) -> MessageTemplate | None:
    sizes = [group.buffer_sizes(group.observations) for group in layout.groups]
    if None in sizes:
        return None

    def write(filler: int) -> bytes:
        filled = _fill(NUMBER_BYTES, filler)
        number = int.from_bytes(filled, "little")
        request = pb.StepRequest(sequence=number, sim_time_ns=number)
        rows = zip(layout.key, layout.groups, sizes, shapes, strict=True)
        for indices, group, each, shape in rows:
            steps = request.steps.add(agents=indices)
            buffers = [_fill(size, filler) for size in each or ()]
            group.observations.push(steps.observations, iter(buffers), len(indices))
            steps.rewards.extend([float(_DOUBLE.unpack(filled)[0])] * len(indices))
            write_infos(shape, filler, steps)
        return pb.SimulationMessage(step_request=request).SerializeToString()

    fields = [NUMBER_BYTES, NUMBER_BYTES]
    for group, each, shape in zip(layout.groups, sizes, shapes, strict=True):
        fields += [*(each or ()), NUMBER_BYTES * len(group.names), *InfoReader(shape).sizes]
    return _template(write, fields)


def _fill(size: int, filler: int) -> bytes:
    return bytes([filler]) * size


def _template(write: Callable[[int], bytes], sizes: Sequence[int]) -> MessageTemplate | None:
    try:
        return MessageTemplate(write, sizes)
    except ValueError:
        return None
