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
        key: Name of the option.
        operation: `read`, `write` or `compare_and_swap`.
        arguments: Arguments of a read `()`, of a write `(value,)`, of a compare-and-swap
            `(expected, new)`; values can be hashed.
        result: The value of a read; whether a compare-and-swap has swapped; else None.
        invoked: Time of the request.
        responded: When the response came; None if none has come: then it may have happened at any
            time after, or not at all.
    """

    client: Hashable
    key: Hashable
    operation: Kind
    arguments: tuple[Any, ...] = ()
    result: Any = None
    invoked: float = 0.0
    responded: float | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot have happened.

        Raises:
            ParameterError: The kind is not known, arguments are missing, a value cannot be hashed,
                or the response comes before the invocation.
        """
        counts = {"read": 0, "write": 1, "compare_and_swap": 2}
        if self.operation not in counts:
            kinds = list(get_args(Kind))
            raise ParameterError(f"operation={self.operation!r} is not known; there are {kinds}")
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
            raise ParameterError(f"{self} was responded to before it was invoked")

    @classmethod
    def of(cls, request: Operation | ClientRequest) -> Operation:
        """Return a request, such as one of `read_history()`, as an operation.

        Raises:
            ParameterError: The operation cannot have happened.
        """
        if isinstance(request, cls):
            return request
        return cls(**{each.name: getattr(request, each.name) for each in fields(cls)})

    @property
    def until(self) -> float:
        """Time of the response; infinity if none has come."""
        return math.inf if self.responded is None else self.responded

    @property
    def swapped(self) -> bool:
        """Whether it is a compare-and-swap that has succeeded."""
        return self.operation == "compare_and_swap" and self.responded is not None and self.result

    @property
    def effect(self) -> tuple[Any, ...]:
        """The value that it may have written, alone in a tuple; empty if it has written none."""
        if self.operation == "write":
            return self.arguments
        if self.operation == "compare_and_swap" and (self.responded is None or self.result):
            return self.arguments[1:]
        return ()

    @property
    def observed(self) -> tuple[Any, ...]:
        """The value that it has certainly seen, alone in a tuple; empty if there is none."""
        if self.responded is None:
            return ()
        if self.operation == "read":
            return (self.result,)
        return self.arguments[:1] if self.swapped else ()

    def __str__(self) -> str:
        """Return it on one line."""
        when = (
            f"{self.invoked:g} to {self.responded:g}"
            if self.responded is not None
            else (f"{self.invoked:g}, no response")
        )
        return f"client {self.client}, {when}: {self._what()}"

    def _what(self) -> str:
        if self.operation == "read":
            told = f" -> {self.result!r}" if self.responded is not None else ""
            return f"read {self.key!r}{told}"
        if self.operation == "write":
            return f"write {self.key!r} = {self.arguments[0]!r}"
        expected, new = self.arguments
        told = "" if self.responded is None else " -> swapped" if self.result else " -> not swapped"
        return f"compare-and-swap {self.key!r}: {expected!r} by {new!r}{told}"
