# SPDX-License-Identifier: GPL-2.0-only
"""Operations of clients: requests and responses."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.histories.client_requests import ClientRequest

Kind = Literal["read", "write", "compare_and_swap"]


@dataclass(frozen=True)
class Operation:
    """An invocation and its response.

    Attributes:
        client: The client.
        key: Key of the register.
        operation: `read`, `write` or `compare_and_swap`.
        arguments: `()` for a read, `(value,)` for a write, `(expected, new)` for a
            compare-and-swap; values must be hashable.
        result: The value of a read; whether a compare-and-swap has swapped; else None.
        invoked: Time of the request.
        responded: Time of the response; None without one: the operation may have happened at any
            later time, or not at all.
    """

    client: Hashable
    key: Hashable
    operation: Kind
    arguments: tuple[Any, ...] = ()
    result: Any = None
    invoked: float = 0.0
    responded: float | None = None

    def __post_init__(self) -> None:
        """Refuse an impossible operation.

        Raises:
            ParameterError: The kind is unknown, arguments are missing, a value is not hashable, or
                the response is before the invocation.
        """
        counts = {"read": 0, "write": 1, "compare_and_swap": 2}
        if self.operation not in counts:
            kinds = list(get_args(Kind))
            raise ParameterError(f"operation={self.operation!r} is unknown; there are {kinds}")
        if len(self.arguments) != counts[self.operation]:
            needed = counts[self.operation]
            raise ParameterError(
                f"a {self.operation} has {needed} arguments, not {len(self.arguments)}"
            )
        for value in (*self.arguments, self.result):
            try:
                hash(value)
            except TypeError:
                raise ParameterError(
                    f"the value {value!r} cannot be hashed; give a number, a text or a tuple"
                ) from None
        if self.responded is not None and self.responded < self.invoked:
            raise ParameterError(f"{self} has a response before its invocation")

    @classmethod
    def of(cls, request: Operation | ClientRequest) -> Operation:
        """Convert a request, such as one of `read_history()`, to an operation.

        Raises:
            ParameterError: The operation is impossible.
        """
        if isinstance(request, cls):
            return request
        return cls(**{each.name: getattr(request, each.name) for each in fields(cls)})

    @property
    def until(self) -> float:
        """Time of the response; infinity without one."""
        return math.inf if self.responded is None else self.responded

    @property
    def swapped(self) -> bool:
        """Whether it is a successful compare-and-swap."""
        return self.operation == "compare_and_swap" and self.responded is not None and self.result

    @property
    def effect(self) -> tuple[Any, ...]:
        """A tuple with the value that it may have written; empty if it has written none."""
        if self.operation == "write":
            return self.arguments
        if self.operation == "compare_and_swap" and (self.responded is None or self.result):
            return self.arguments[1:]
        return ()

    @property
    def observed(self) -> tuple[Any, ...]:
        """A tuple with the value that it has certainly read; empty if there is none."""
        if self.responded is None:
            return ()
        if self.operation == "read":
            return (self.result,)
        return self.arguments[:1] if self.swapped else ()

    def __str__(self) -> str:
        """Return the operation as one line."""
        when = (
            f"{self.invoked:g} to {self.responded:g}"
            if self.responded is not None
            else (f"{self.invoked:g}, no response")
        )
        return f"client {self.client}, {when}: {self._what()}"

    def _what(self) -> str:
        if self.operation == "read":
            outcome = f" -> {self.result!r}" if self.responded is not None else ""
            return f"read {self.key!r}{outcome}"
        if self.operation == "write":
            return f"write {self.key!r} = {self.arguments[0]!r}"
        expected, new = self.arguments
        outcome = (
            "" if self.responded is None else " -> swapped" if self.result else " -> not swapped"
        )
        return f"compare-and-swap {self.key!r}: {expected!r} by {new!r}{outcome}"
