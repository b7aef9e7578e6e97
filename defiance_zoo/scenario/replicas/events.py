# SPDX-License-Identifier: GPL-2.0-only
"""Events that replicas note, whose kinds are words in Python and numbers in reports."""

from __future__ import annotations

from typing import NamedTuple

_FIRST = 1000
"""The first number of a kind; smaller ones have a meaning for all protocols."""

_kinds: list[str] = []


class Event(NamedTuple):
    """Something that a replica has done in this tick; see `Replica.note`.

    Attributes:
        replica: Number of the replica.
        kind: A word for it.
        at: Place of the event, such as a term or an index.
        value: The subject of the message.
    """

    replica: int
    kind: str
    at: int
    value: int


def kind_number(kind: str) -> int:
    """Return the number of a kind, which is the same in all copies of this process."""
    if kind not in _kinds:
        _kinds.append(kind)
    return _FIRST + _kinds.index(kind)


def read_events(told: list[tuple[int, int, int, int]]) -> tuple[Event, ...]:
    """Return the events of the protocol among those that replicas have reported."""
    return tuple(
        Event(replica, _kinds[kind - _FIRST], at, value)
        for replica, kind, at, value in told
        if kind >= _FIRST
    )
