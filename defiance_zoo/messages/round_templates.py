# SPDX-License-Identifier: GPL-2.0-only
"""Rounds of the same agents look the same on the wire: how they are read and answered is kept."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.codec import Buffer, MessageTemplate
from defiance_zoo.errors import MalformedMessage
from defiance_zoo.messages.rounds import Agent, AgentGroup, AgentSteps, Round
from defiance_zoo.messages.transfer_reports import Transfer, write_orders

_MAX_LAYOUTS = 512
_NUMBER_BYTES = 8
_DOUBLE = struct.Struct("<d")
_TIME = struct.Struct("<q").unpack
_Key = tuple[tuple[int, ...], ...]


class RoundTemplate:
    """Rounds in which the same groups of agents ask.

    Attributes:
        key: Numbers of the agents, by group.
        members: The same, of all groups.
        groups: The groups.
        rounds: Rounds seen so far.
        reply: What answers look like, if they are of one size.
        request: What requests look like that hold nothing but steps without infos, once known.
    """

    def __init__(self, key: _Key, groups: tuple[AgentGroup, ...]) -> None:
        """Take the groups of a round."""
        self.key, self.groups = key, groups
        self.members = frozenset(index for indices in key for index in indices)
        self.rounds = 0
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
            return self._write_reply(_fill(_NUMBER_BYTES, filler), buffers)

        fields = [_NUMBER_BYTES, *(size for each in sizes for size in each or ())]
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
    """Requests of one layout that hold nothing but steps without infos.

    Attributes:
        layout: Whom they ask.
        groups: The groups of agents, with the places of their observations and rewards.
        solo: Place of the observation, if there is one agent.
    """

    def __init__(self, layout: RoundTemplate) -> None:
        self.layout = layout
        self.groups: list[tuple[AgentGroup, slice, int]] = []
        first = 3  # after constants, sequence and time
        for group in layout.groups:
            rewards = first + len(group.observations.sizes or ())
            self.groups.append((group, slice(first, rewards), rewards))
            first = rewards + 1


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
                    AgentSteps(group, parts[fields], parts[rewards], {})
                    for group, fields, rewards in self._request.groups
                ]
            )
        return self._asked

    @asked.setter
    def asked(self, asked: tuple[AgentSteps, ...]) -> None:
        self._asked = asked

    def solo(self) -> tuple[Any, float, dict[str, Any]]:
        group, fields, rewards = self._request.groups[0]
        parts = self._parts
        observation, reward = group.single(parts[fields], parts[rewards])
        return observation, reward, {}


class RoundTemplates:
    """All layouts of the rounds of some agents, found by what their requests look like."""

    def __init__(self, agents: list[Agent]) -> None:
        """Take the agents by their numbers."""
        self._agents = agents
        self._layouts: dict[_Key, RoundTemplate] = {}
        self._templates: dict[int, MessageTemplate] = {}
        self._requests: dict[bytes, _RequestTemplate] = {}

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

    def of(self, request: pb.StepRequest, frame: bytes) -> RoundTemplate:
        """Return the layout of a request whose agents are known, and remember what it looks like.

        Args:
            request: The request, whose observations are of their agents' spaces.
            frame: The whole message.

        Raises:
            MalformedMessage: See `layout()`.
        """
        key = tuple(tuple(steps.agents) for steps in request.steps)
        layout = self.layout(key)
        layout.rounds += 1
        if layout.rounds == 2:  # a third one is likely then
            self._learn(layout, frame)
        return layout

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
        for book in (self._layouts, self._templates, self._requests):
            book.clear()

    def _learn(self, layout: RoundTemplate, frame: bytes) -> None:
        template = _request_template(layout)
        if template is None or template.length != len(frame):
            return
        known = self._templates.setdefault(template.length, template)
        if known.fields == template.fields:
            self._requests[template.constants] = _RequestTemplate(layout)
            layout.request = template


def _request_template(layout: RoundTemplate) -> MessageTemplate | None:
    sizes = [group.buffer_sizes(group.observations) for group in layout.groups]
    if None in sizes:
        return None

    def write(filler: int) -> bytes:
        number = int.from_bytes(_fill(_NUMBER_BYTES, filler), "little")
        request = pb.StepRequest(sequence=number, sim_time_ns=number)
        for indices, group, each in zip(layout.key, layout.groups, sizes, strict=True):
            steps = request.steps.add(agents=indices)
            buffers = [_fill(size, filler) for size in each or ()]
            group.observations.push(steps.observations, iter(buffers), len(indices))
            reward = float(_DOUBLE.unpack(_fill(_NUMBER_BYTES, filler))[0])
            steps.rewards.extend([reward] * len(indices))
        return pb.SimulationMessage(step_request=request).SerializeToString()

    fields = [_NUMBER_BYTES, _NUMBER_BYTES]
    for group, each in zip(layout.groups, sizes, strict=True):
        fields += [*(each or ()), _NUMBER_BYTES * len(group.names)]
    return _template(write, fields)


def _fill(size: int, filler: int) -> bytes:
    return bytes([filler]) * size


def _template(write: Callable[[int], bytes], sizes: Sequence[int]) -> MessageTemplate | None:
    try:
        return MessageTemplate(write, sizes)
    except ValueError:
        return None
