# SPDX-License-Identifier: GPL-2.0-only
"""Events that replicas note, whose kinds are words in Python and numbers in reports."""

from __future__ import annotations

from typing import NamedTuple

_FIRST = 1000
"""The first number for kinds; smaller numbers have a fixed meaning in all protocols."""

_kinds: list[str] = []


class Event(NamedTuple):
    """An event of a replica in this tick; see `Replica.note`.

    Attributes:
        replica: Number of the replica.
        kind: A word for the event.
        at: Place of the event, such as a term or an index.
        value: Value of the event.
    """

    replica: int
    kind: str
    at: int
    value: int


def kind_number(kind: str) -> int:
    """Return the number of a kind, the same in all copies of this process."""
    if kind not in _kinds:
        _kinds.append(kind)
    return _FIRST + _kinds.index(kind)


def read_events(rows: list[tuple[int, int, int, int]]) -> tuple[Event, ...]:
    """Return the protocol's events among the reported events."""
    return tuple(
        Event(replica, _kinds[kind - _FIRST], at, value)
        for replica, kind, at, value in rows
        if kind >= _FIRST
    )
