# SPDX-License-Identifier: GPL-2.0-only
"""Requests of clients, and their registers."""

from __future__ import annotations

from typing import NamedTuple

from defiance_zoo.scenario.native import load
from defiance_zoo.scenario.replicas.stage import misuse

READ, WRITE, COMPARE_AND_SWAP = range(3)


class Operation(NamedTuple):
    """The request of a client, determined by the seed and its number.

    Attributes:
        kind: `READ`, `WRITE` or `COMPARE_AND_SWAP`.
        key: Number of the register: 0 or 1.
        expected: The value that `COMPARE_AND_SWAP` replaces.
        value: The value that is written: the number of the request.
    """

    kind: int
    key: int
    expected: int
    value: int


class Registers(dict[int, int]):
    """Values by key, 0 at first: the state machine of the clients' requests."""

    def apply(self, request: int) -> int:
        """Execute a request.

        Args:
            request: Number of the request; 0, an entry of the protocol, does nothing.

        Returns:
            The answer: the value of a read, otherwise whether a value was written.
        """
        if request == 0:
            return 0
        kind, key, expected, value = operation(request)
        held = self.get(key, 0)
        if kind == READ:
            return held
        writes = kind == WRITE or held == expected
        if writes:
            self[key] = value
        return int(writes)


def operation(request: int) -> Operation:
    """Return the operation of a client's request; numbers begin with 1."""
    if request < 1:
        misuse(f"operation() takes the number of a request, from 1 on, not {request}")
    return Operation(*load("_scripting_replicas").operation(request))
