# SPDX-License-Identifier: GPL-2.0-only
"""Values of a space on the wire: stacks, with the values of one or more agents as rows.

A stack has Gymnasium's batched form: an array with one more axis in front, a tuple or dict of
stacks, or a tuple of texts. A value is sent as its buffers: the bytes of each array, and the texts,
in the order of the wire.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.errors import MalformedMessage

Buffer = Any
"""The bytes of an array, or a sequence of texts."""


class Fault(NamedTuple):
    """A value is not within the bounds of its space.

    Attributes:
        row: Row of the stack.
        reason: The fault and its position, such as "element 2 is inf, but must be from 0.0 to 1.0".
    """

    row: int
    reason: str


class ValueCodec(ABC):
    """Values of one space.

    `check` functions raise `ValueError` or `TypeError`, with the reason, for a value outside the
    space. `pull` raises `MalformedMessage` for a stack of another kind, element type or shape.
    `find_fault` looks for elements of a stack that are out of bounds.

    Attributes:
        sizes: Bytes of each buffer for one row; None if a buffer holds texts.
    """

    sizes: tuple[int, ...] | None

    @abstractmethod
    def pull(self, container: pb.DataContainer, rows: int) -> list[Buffer]:
        """Return the buffers of a received stack."""

    @abstractmethod
    def push(self, container: pb.DataContainer, buffers: Iterator[Buffer], rows: int) -> None:
        """Write buffers into an empty message."""

    @abstractmethod
    def assemble(self, buffers: Iterator[Buffer], rows: int) -> Any:
        """Return buffers as a stack; its arrays are read-only views of them."""

    def single(self, buffers: Sequence[Buffer]) -> Any:
        """Return the only row of a stack."""
        (value,) = self.values(self.assemble(iter(buffers), 1), 1)
        return value

    @abstractmethod
    def values(self, stack: Any, rows: int) -> list[Any]:
        """Return the rows of a stack."""

    @abstractmethod
    def find_fault(self, stack: Any, rows: int) -> Fault | None:
        """Return the first row of a stack that is out of bounds, if there is one."""

    @abstractmethod
    def check(self, value: Any) -> Any:
        """Return a value in the form that `flatten` takes; it shares no memory with `value`."""

    @abstractmethod
    def flatten(self, values: Sequence[Any]) -> list[Buffer]:
        """Return the buffers of checked values."""

    @abstractmethod
    def check_stack(self, stack: Any, rows: int) -> list[Buffer]:
        """Return the buffers of a stack of actions."""


def expect_kind(container: pb.DataContainer, kind: str) -> Any:
    """Return the value of a container.

    Raises:
        MalformedMessage: The value has another kind.
    """
    received_kind = container.WhichOneof("kind")
    if received_kind != kind:
        raise MalformedMessage(f"a {received_kind} value where the space is {kind}")
    return getattr(container, kind)
