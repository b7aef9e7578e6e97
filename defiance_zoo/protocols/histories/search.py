# SPDX-License-Identifier: GPL-2.0-only
"""Search for an order of operations on one key that explains the responses to clients."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

from defiance_zoo.protocols.histories.operation import Operation

_ANY: Any = object()
"""State of a key with one of its free values, which it may have at any time."""

_REFUSED: Any = object()

MOST_STATES = 1_000_000
"""Maximum of visited states: of a search, by default, and of all searches of an episode."""


class TooManyStates(Exception):
    """The search exceeded the limit of states."""


def find_order(
    operations: Sequence[Operation],
    initial: Hashable = None,
    free: frozenset[Any] = frozenset(),
    most_states: int = MOST_STATES,
) -> tuple[bool, int]:
    """Return whether an order of operations exists, and the number of visited states.

    In the order, each operation is between its invocation and its response.
    Wing and Gong, Testing and verifying concurrent objects (1993), with Lowe's cache of visited
    pairs of a set of operations and a state (Testing for linearizability, 2017). Operations at the
    same time are concurrent. An operation without a response may have happened, or not.

    `free`: values that the key may have at any time: values written by operations that were left
    out. `most_states`: maximum number of cached pairs.
    """
    ops = [each for each in operations if each.responded is not None or each.effect]
    events = _Events(ops)
    state = _ANY if initial in free else initial
    done, left = 0, sum(each.responded is not None for each in ops)
    seen: set[tuple[int, Any]] = set()
    taken: list[tuple[int, Any]] = []
    event = events.first
    while left:
        if event < len(ops):
            after = _apply(ops[event], state, free)
            place = done | 1 << event, after
            if after is not _REFUSED and place not in seen:
                if len(seen) >= most_states:
                    raise TooManyStates
                seen.add(place)
                taken.append((event, state))
                events.take(event)
                left -= ops[event].responded is not None
                done, state = place
                event = _first(ops, events, state, free)
            else:
                event = events.following[event]
        elif not taken:
            return False, len(seen)
        else:  # an operation with a response here would have to precede all later ones
            after = state
            event, state = taken.pop()
            events.put_back(event)
            left += ops[event].responded is not None
            done ^= 1 << event
            if not _only_looks(ops[event], state, after):
                event = events.following[event]
            elif taken:  # an order without it can include it as well
                event = len(ops)
            else:
                return False, len(seen)
    return True, len(seen)


def _first(ops: Sequence[Operation], events: _Events, state: Any, free: frozenset[Any]) -> int:
    """Return the next event, preferably of an operation that only reads.

    If any valid order continues from here, one begins with this operation.
    """
    event = events.first
    while event < len(ops):
        operation = ops[event]
        if _only_looks(operation, state, _apply(operation, state, free)):
            return event
        event = events.following[event]
    return events.first


def _only_looks(operation: Operation, state: Any, after: Any) -> bool:
    """Return whether an operation has changed nothing, and cannot enable later operations."""
    looks = operation.operation == "read" or (
        operation.operation == "compare_and_swap"
        and operation.responded is not None
        and not operation.result
    )
    return looks and after is not _REFUSED and bool(after == state)


def _apply(operation: Operation, state: Any, free: frozenset[Any]) -> Any:
    """Return the state after an operation, or `_REFUSED` if it is impossible in the state."""
    if operation.operation == "write":
        value = operation.arguments[0]
        return _ANY if value in free else value
    if operation.operation == "read":
        value = operation.result
        if value in free:
            return _ANY
        return value if state is not _ANY and state == value else _REFUSED
    expected, new = operation.arguments
    may_be = expected in free or (state is not _ANY and state == expected)
    if operation.responded is None or operation.result:
        return (_ANY if new in free else new) if may_be else _REFUSED
    if state is not _ANY and state != expected:
        return state
    return _ANY if any(value != expected for value in free) else _REFUSED


class _Events:
    """Invocations and responses in the order of time, without taken operations.

    Operation i is invoked at event i, and responds at event n + i.
    """

    def __init__(self, operations: Sequence[Operation]) -> None:
        count = len(operations)
        times = [(each.invoked, 0, i) for i, each in enumerate(operations)]
        times += [(o.until, 1, count + i) for i, o in enumerate(operations) if o.until < math.inf]
        order = [event for _, _, event in sorted(times)]
        self._head, tail = 2 * count, 2 * count + 1
        self._count = count
        self.following = [tail] * (tail + 1)
        self._before = [self._head] * (tail + 1)
        for one, other in zip([self._head, *order], [*order, tail], strict=True):
            self.following[one], self._before[other] = other, one
        self._ends = [o.until < math.inf for o in operations]

    @property
    def first(self) -> int:
        """The first remaining event."""
        return self.following[self._head]

    def take(self, operation: int) -> None:
        """Leave an operation out."""
        for event in (operation, operation + self._count)[: 1 + self._ends[operation]]:
            one, other = self._before[event], self.following[event]
            self.following[one], self._before[other] = other, one

    def put_back(self, operation: int) -> None:
        """Put back the operation that was taken last."""
        for event in (operation + self._count, operation)[not self._ends[operation] :]:
            self.following[self._before[event]] = event
            self._before[self.following[event]] = event
