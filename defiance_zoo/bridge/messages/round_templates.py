# SPDX-License-Identifier: GPL-2.0-only
"""Templates of messages, as rounds of the same agents have the same form on the wire."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.messages.info_templates import NUMBER_BYTES
from defiance_zoo.bridge.messages.rounds import AgentGroup
from defiance_zoo.bridge.messages.transfer_reports import Transfer, write_orders
from defiance_zoo.bridge.system.extension import exchange_module

Key = tuple[tuple[int, ...], ...]
"""Numbers of the deciding agents, by group."""


class MessageTemplate:
    """A message in which only some fields of fixed size vary.

    Protobuf writes messages of the same structure and lengths as the same bytes, except for the
    values. The variable parts are found by writing the message twice.

    Attributes:
        length: Bytes of the message.
        blank: The message, with zeros in its fields.
        fields: Start and size in bytes of each field.
        constants: Constant parts, in order.
        split: Splits a message of this length into its constants and fields, a tuple of bytes.
            Raises `ValueError` if the message has another length.
        join: Joins bytes for each field, an argument each, into the message. Raises `ValueError` if
            a value has another size than its field.
        handle: Handle of the template for other functions of the extension module.
    """

    def __init__(self, write: Callable[[int], bytes], sizes: Sequence[int]) -> None:
        """Find the fields.

        Args:
            write: Returns the message with every byte of every field set to a number.
            sizes: Bytes of each field, in the order of the wire.

        Raises:
            ValueError: The fields cannot be found; such a message has no template.
        """
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


class RoundTemplate:
    """Rounds in which the same groups of agents decide.

    Attributes:
        key: Numbers of the agents, by group.
        members: Numbers of all agents.
        groups: The groups.
        reply: Template of answers, if all answers have the same size.
        request: Template of requests with only steps and without infos, once known.
    """

    def __init__(self, key: Key, groups: tuple[AgentGroup, ...]) -> None:
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
            number: Number of the request, as encoded.
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


def fill(size: int, filler: int) -> bytes:
    """Return equal bytes."""
    return bytes([filler]) * size


def message_template(write: Callable[[int], bytes], sizes: Sequence[int]) -> MessageTemplate | None:
    """Return the template of a message; None if it has none. See `MessageTemplate`."""
    try:
        return MessageTemplate(write, sizes)
    except ValueError:
        return None
