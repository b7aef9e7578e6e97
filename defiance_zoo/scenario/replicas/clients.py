# SPDX-License-Identifier: GPL-2.0-only
"""Requests of clients, and the registers that they are about."""

from __future__ import annotations

from typing import NamedTuple

from defiance_zoo.scenario.native import load

READ, WRITE, COMPARE_AND_SWAP = range(3)


class Operation(NamedTuple):
    """The request of a client; it follows from the seed and the number.

    Attributes:
        kind: `READ`, `WRITE` or `COMPARE_AND_SWAP`.
        key: With which register: 0 or 1.
        expected: The value that `COMPARE_AND_SWAP` replaces.
        value: The value that is written: the number of the request.
    """

    kind: int
    key: int
    expected: int
    value: int


class Registers(dict[int, int]):
    """Values by key, 0 at first: the state machine that the requests of clients are for."""

    def apply(self, request: int) -> int:
        """Do what a request asks for.

        Args:
            request: Its number; 0, the protocol's own entry, does nothing.

        Returns:
            The answer: of a read the value, else whether a value was written.
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
    """Return the operation of a client's request."""
    return Operation(*load("_scripting_replicas").operation(request))
