# SPDX-License-Identifier: GPL-2.0-only
"""Templates of messages, as rounds of the same agents have the same form on the wire.

Requests of a known form are read by position, without parsing.
"""

from __future__ import annotations

import itertools
import operator
import struct
from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError
from gymnasium import spaces

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.messages.info_templates import (
    NUMBER_BYTES,
    InfoReader,
    InfoTemplate,
    cut_infos,
    have_form,
    info_templates,
    write_infos,
)
from defiance_zoo.bridge.messages.rounds import Agent, AgentGroup, AgentSteps, Round
from defiance_zoo.bridge.messages.transfer_reports import Transfer, write_orders
from defiance_zoo.bridge.system.extension import exchange_module
from defiance_zoo.errors import MalformedMessage

Key = tuple[tuple[int, ...], ...]
"""Numbers of the deciding agents, by group."""


class MessageTemplate:
    """A message in which only some fields of fixed size vary.

    Protobuf writes messages of the same structure and lengths as the same bytes, except for the
    values. The variable parts are found by writing the message twice.
    """

    def __init__(self, write: Callable[[int], bytes], sizes: Sequence[int]) -> None:
        first, second = (np.frombuffer(write(filler), np.uint8) for filler in (1, 2))
        if len(first) != len(second):
            raise ValueError("the length of the message depends on its values")
        varies = np.concatenate([[False], first != second, [False]])
        starts, ends = np.flatnonzero(varies[1:] != varies[:-1]).reshape(-1, 2).T
        if [int(size) for size in ends - starts] != list(sizes):
            raise ValueError("a field cannot be distinguished from its neighbours")
        self.length = len(first)
        self.blank = bytes(np.where(varies[1:-1], 0, first).astype(np.uint8))
        self.fields = tuple(zip(starts.tolist(), sizes, strict=True))
        module = exchange_module()
        self.handle = module.template(self.blank, np.array(self.fields, np.uint64).tobytes())
        # No Python frame in between: these functions are called at each step.
        self.split: Callable[[bytes], tuple[bytes, ...]] = partial(module.split, self.handle)
        self.join: Callable[..., bytes] = partial(module.join, self.handle)
        self.constants = self.split(self.blank)[0]


_OFTEN = 2
"""Number of messages of a form after which more are expected: a template costs as much as many."""


class RoundForm:
    """Rounds with equal numbers of agents, group by group; a round of one agent has its own form.

    Attributes:
        key: Kind, number and size on the wire of each group's agents; the number of a single agent.
        groups: Groups of one of these rounds.
        agents: Size of each group's varying agent numbers on the wire.
        reply: Template of answers; None: none so far.
        request: Template of the last request that was accepted; None: none so far.
    """

    def __init__(self, key: Key, groups: tuple[AgentGroup, ...], agents: Sequence[int]) -> None:
        self.key, self.groups, self.agents = key, groups, agents
        self.reply: MessageTemplate | None = None
        self.request: RequestTemplate | None = None
        self._answers = 0

    def answer(
        self, number: bytes, actions: list[Buffer], orders: Sequence[Transfer] = ()
    ) -> bytes:
        """Return the message that answers the round of a request with this encoded number.

        `actions`: buffers of a stack of actions for each group, one group after the other.
        `orders`: transfers that begin now.
        """
        if self.reply is None or orders:
            self._answers += 1
            if self._answers == _OFTEN:
                self.reply = self.make_reply()
            return self._write_reply(number, actions, orders)
        return self.reply.join(number, *actions)

    def make_reply(self) -> MessageTemplate | None:
        """Return the template of answers; None if there is none."""
        sizes = [group.buffer_sizes(group.actions) for group in self.groups]
        if None in sizes:
            return None

        def write(filler: int) -> bytes:
            buffers = [fill(size, filler) for each in sizes for size in each or ()]
            return self._write_reply(fill(NUMBER_BYTES, filler), buffers)

        fields = [NUMBER_BYTES, *(size for each in sizes for size in each or ())]
        return message_template(write, fields)

    def _write_reply(
        self, number: bytes, actions: Sequence[Buffer], orders: Sequence[Transfer] = ()
    ) -> bytes:
        reply = pb.StepReply(sequence=int.from_bytes(number, "little"), command=pb.COMMAND_STEP)
        buffers = iter(actions)
        for group in self.groups:
            group.actions.push(reply.actions.add(), buffers, len(group.names))
        write_orders(orders, reply)
        return pb.PythonMessage(step_reply=reply).SerializeToString()


class RoundTemplate:
    """Rounds in which the same groups of agents decide.

    Attributes:
        request: Template of their requests, for a single agent; otherwise None.
    """

    request: RequestTemplate | None = None

    def __init__(self, key: Key, groups: tuple[AgentGroup, ...], form: RoundForm) -> None:
        self.key, self.groups, self.form = key, groups, form
        self.members = frozenset(itertools.chain(*key))
        self.answer = form.answer


def fill(size: int, filler: int) -> bytes:
    """Return equal bytes."""
    return bytes([filler]) * size


def message_template(write: Callable[[int], bytes], sizes: Sequence[int]) -> MessageTemplate | None:
    """Return the template of a message; None if it has none. See `MessageTemplate`."""
    try:
        return MessageTemplate(write, sizes)
    except ValueError:
        return None


_LEAST_TEMPLATES = 512
_DOUBLE = struct.Struct("<d")
_TIME = struct.Struct("<q").unpack
_FIRST = 64
"""Requests from which is always learned, besides some of each agent."""
_WORTH = 4
"""Recognised requests that save the time of learning from another one."""


_Row = tuple[AgentGroup, slice, int, slice, InfoReader | None]
"""A group, and the places of its observations, rewards and infos in the parts of a request."""
_Rows = tuple[RoundTemplate, list[_Row]]


class RequestTemplate:
    """Requests of one form with only steps, and infos of one template.

    Attributes:
        form: The form.
        message: Template of the messages.
        infos: The infos of all agents, in the order of the wire.
        constant: Template and rows of all requests, if their agents do not vary.
        named: Template and rows by the numbers of the agents, as in a request.
        tags: What precedes these numbers, by group.
        select: Returns these numbers: one text, or a tuple of texts.
    """

    def __init__(
        self, template: RoundTemplate, infos: tuple[InfoTemplate, ...], message: MessageTemplate
    ) -> None:
        self.form, self.message = template.form, message
        self.infos = [info for rows in infos for _, row in rows for info in row]
        self.named: dict[bytes | tuple[bytes, ...], _Rows] = {}
        self.tags: list[bytes] = []
        self._places: list[tuple[slice, int, slice, InfoReader | None]] = []
        agents = []
        first = 3  # after constants, sequence and time
        for group, size, info in zip(self.form.groups, self.form.agents, infos, strict=True):
            if size:
                numbers = pb.AgentSteps(agents=[0] * size).SerializeToString()
                agents.append(first)
                self.tags.append(numbers[:-size])
                first += 1
            rewards = first + len(group.observations.sizes or ())
            reader = InfoReader(info)
            end = rewards + 1 + len(reader.sizes)
            place = slice(first, rewards), rewards, slice(rewards + 1, end)
            self._places.append((*place, reader if info else None))
            first = end
        alone = copy(template)
        alone.request = self
        self.constant = None if agents else self.rows(alone)
        self.select: Callable[[tuple[bytes, ...]], Any] = operator.itemgetter(*(agents or [0]))

    def rows(self, template: RoundTemplate) -> _Rows:
        """Return a template, and the rows that read its requests."""
        places = zip(template.groups, self._places, strict=True)
        return template, [(group, *place) for group, place in places]


class RoundTemplates:
    """All templates of the rounds of some agents, found by the form of their requests."""

    def __init__(self, agents: list[Agent]) -> None:
        self._agents = agents
        self._most = max(_LEAST_TEMPLATES, 2 * len(agents))
        """Agents that ask one by one have a template each."""
        self._templates: dict[Key, RoundTemplate] = {}
        self._forms: dict[Key, RoundForm] = {}
        self._messages: dict[int, MessageTemplate] = {}
        self._requests: dict[bytes, RequestTemplate] = {}
        self._kinds: dict[int, int] = {}
        self._spaces: list[tuple[spaces.Space[Any], spaces.Space[Any]]] = []
        self._seen: Counter[tuple[Key, tuple[InfoTemplate, ...] | None]] = Counter()
        self._recognised = self._learned = 0
        self._cuts = False

    def read(
        self, frame: bytes, number: bytes, since_ns: int = 0
    ) -> tuple[Round, RoundTemplate] | None:
        """Return the round of the request with this encoded number; None: its form is unknown."""
        message = self._messages.get(len(frame))
        parts = message.split(frame) if message is not None else (b"", b"")
        request = self._requests.get(parts[0])
        if request is None or parts[1] != number:
            return self._read_cut(frame, number, since_ns) if self._cuts else None
        (time_ns,) = _TIME(parts[2])
        found = request.constant or request.named.get(request.select(parts))
        if found is None:
            found = self._find(request, parts)
        if time_ns < since_ns or found is None:
            return None
        template, rows = found
        asked = []
        for group, fields, rewards, info_fields, infos in rows:
            read = infos.read(parts[info_fields]) if infos is not None else {}
            asked.append(AgentSteps(group, parts[fields], parts[rewards], read))
        self._recognised += 1
        return Round(time_ns, tuple(asked), (), (), over=False), template

    def _read_cut(
        self, frame: bytes, number: bytes, since_ns: int
    ) -> tuple[Round, RoundTemplate] | None:
        """Read the infos of a request, whose lengths vary, and then the rest by position."""
        try:
            rest, infos = cut_infos(frame)
        except (DecodeError, MalformedMessage):  # parsing the request names the fault
            return None
        if not any(infos) or (self._learning_pays and have_form(infos)):
            return None
        known = self.read(rest, number, since_ns)
        if known is None:
            return None
        for steps, each in zip(known[0].asked, infos, strict=True):
            steps.infos = each
        return known[0], self._templates.get(known[1].key, known[1])  # its messages have infos

    def _find(self, request: RequestTemplate, parts: tuple[bytes, ...]) -> _Rows | None:
        """Return template and rows of the agents that a request names; None: they do not fit."""
        named = request.select(parts)
        numbers = named if isinstance(named, tuple) else (named,)
        try:
            template = self.template(tuple(map(_read_numbers, request.tags, numbers)))
        except (DecodeError, MalformedMessage):  # parsing the request names the fault
            return None
        if template.form.key != request.form.key:
            return None
        found = request.named[named] = request.rows(template)
        self._shorten(request.named)
        return found

    @property
    def _learning_pays(self) -> bool:
        """Whether few requests had new forms, compared with the recognised ones."""
        return self._learned <= _FIRST + 2 * _OFTEN * len(self._agents) + self._recognised // _WORTH

    def learn(self, template: RoundTemplate, request: pb.StepRequest, frame: bytes) -> None:
        """Remember the form of a valid request; without infos if these have no form."""
        if request.joined or request.ended or request.transfers:
            return
        infos = info_templates(request.steps) if self._learning_pays else None
        self._learned += 1
        seen = template.form.key, infos
        self._seen[seen] += 1
        self._shorten(self._seen)
        if self._seen[seen] == _OFTEN:
            self._remember(template, infos, frame)

    def template(self, key: Key) -> RoundTemplate:
        """Return the template of rounds of agents with these numbers, by group."""
        template = self._templates.get(key)
        if template is None:
            self._require_distinct([*itertools.chain(*key)])
            groups = tuple(map(self._group, key))
            template = self._templates[key] = RoundTemplate(key, groups, self._form(key, groups))
            self._shorten(self._templates)
        return template

    def _require_distinct(self, indices: list[int]) -> None:
        """Refuse numbers without an agent, and repeated numbers."""
        if max(indices) >= len(self._agents):
            unknown = next(each for each in indices if each >= len(self._agents))
            raise MalformedMessage(f"agent number {unknown}, which was never introduced")
        if len(set(indices)) < len(indices):
            twice = next(each for each in indices if indices.count(each) > 1)
            raise MalformedMessage(f"{self._agents[twice].name} asks twice in a round")

    def _group(self, indices: Sequence[int]) -> AgentGroup:
        agents = [self._agents[index] for index in indices]
        kinds = [*map(self._kind_of, indices)]
        if kinds.count(kinds[0]) < len(kinds):
            other = next(i for i, kind in enumerate(kinds) if kind != kinds[0])
            raise MalformedMessage(
                f"{agents[0].name} and {agents[other].name} ask together, but their spaces differ"
            )
        return AgentGroup(agents)

    def _kind_of(self, index: int) -> int:
        """Return a number that agents with equal spaces share; comparing spaces takes long."""
        if index not in self._kinds:
            agent = self._agents[index]
            own = agent.observation_space, agent.action_space
            if own not in self._spaces:
                self._spaces.append(own)
            self._kinds[index] = self._spaces.index(own)
        return self._kinds[index]

    def _form(self, key: Key, groups: tuple[AgentGroup, ...]) -> RoundForm:
        sizes = [0] if len(key) == len(key[0]) == 1 else list(map(_encoded_size, key))
        if any(sizes):
            rows = zip(key, sizes, strict=True)
            key = tuple([(self._kinds[each[0]], len(each), size) for each, size in rows])
        if key not in self._forms:
            self._forms[key] = RoundForm(key, groups, sizes)
            self._shorten(self._forms)
        return self._forms[key]

    def _shorten(self, book: dict[Any, Any]) -> None:
        """Forget the oldest entry of a full book."""
        if len(book) > self._most:
            del book[next(iter(book))]

    def _remember(
        self, template: RoundTemplate, infos: tuple[InfoTemplate, ...] | None, frame: bytes
    ) -> None:
        cuts = infos is None
        if infos is None:
            frame, infos = cut_infos(frame)[0], ((),) * len(template.groups)
        message = _request_message(template.form, infos)
        if message is None or message.length != len(frame):
            return
        known = self._messages.setdefault(message.length, message)
        self._shorten(self._messages)
        if known.fields == message.fields:
            self._requests[message.constants] = RequestTemplate(template, infos, message)
            self._shorten(self._requests)
            self._cuts = self._cuts or cuts


def _read_numbers(tag: bytes, numbers: bytes) -> tuple[int, ...]:
    return tuple(pb.AgentSteps.FromString(tag + numbers).agents)


def _encoded_size(indices: Sequence[int]) -> int:
    """Return the number of bytes of agent numbers on the wire, which are varints."""
    return sum([(index.bit_length() + 6) // 7 or 1 for index in indices])


def _request_message(form: RoundForm, infos: tuple[InfoTemplate, ...]) -> MessageTemplate | None:
    sizes = [group.buffer_sizes(group.observations) for group in form.groups]
    if None in sizes:
        return None

    def write(filler: int) -> bytes:
        filled = fill(NUMBER_BYTES, filler)
        number = int.from_bytes(filled, "little")
        request = pb.StepRequest(sequence=number, sim_time_ns=number)
        rows = zip(form.key, form.groups, form.agents, sizes, infos, strict=True)
        for key, group, size, each, info in rows:
            count = len(group.names)
            steps = request.steps.add(agents=[filler] * size or key)
            buffers = [fill(size, filler) for size in each or ()]
            group.observations.push(steps.observations, iter(buffers), count)
            steps.rewards.extend([float(_DOUBLE.unpack(filled)[0])] * count)
            write_infos(info, filler, steps)
        return pb.SimulationMessage(step_request=request).SerializeToString()

    fields = [NUMBER_BYTES, NUMBER_BYTES]
    for group, agents, each, info in zip(form.groups, form.agents, sizes, infos, strict=True):
        fields += [*([agents] if agents else ()), *(each or ())]
        fields += [NUMBER_BYTES * len(group.names), *InfoReader(info).sizes]
    return message_template(write, fields)
