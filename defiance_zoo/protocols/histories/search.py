# SPDX-License-Identifier: GPL-2.0-only
"""Search for an order of operations that explains the responses to clients."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Any

from defiance_zoo.protocols.histories.operation import Operation

_ANY: Any = object()
"""State of a key with one of its free values, which it may have at any time."""

_REFUSED: Any = object()

MOST_STATES = 1_000_000
"""Maximum of visited states: of a search, by default, and of all searches of an episode."""


_Place = tuple[int, tuple[Any, ...]]
"""The operations that have happened, as bits, and the value of each key then."""


class TooManyStates(Exception):
    """The search exceeded the limit of states."""


def find_order(
    operations: Iterable[Operation],
    initial: Hashable = None,
    free: Collection[tuple[Hashable, Any]] = (),
    most_states: int = MOST_STATES,
    *,
    by_session: bool = False,
) -> tuple[bool, int]:
    """Return whether an order of operations explains all responses, and the visited states.

    In the order, each operation is between its invocation and its response; those at the same time
    are concurrent. With `by_session`, each is only after those of its client that were answered by
    its invocation; otherwise, all operations are on one key, as this is equivalent. An operation
    without a response may have happened, or not.

    `free`: keys and values that they may have at any time: those of left-out writes. `most_states`:
    maximum number of visited pairs.

    Wing and Gong, Testing and verifying concurrent objects (1993), with Lowe's cache of visited
    pairs of a set of operations and a state (Testing for linearizability, 2017).
    """
    ops = sort_operations(operations)
    earlier = list_earlier(ops, by_session=by_session)
    keys = {key: place for place, key in enumerate({each.key: 0 for each in ops})}
    frees = [frozenset(value for key, value in free if key == mine) for mine in keys]
    needed = sum(1 << number for number, each in enumerate(ops) if each.responded is not None)
    looks = [_apply(each, _REFUSED, frees[keys[each.key]]) is _REFUSED for each in ops]
    left = [(0, tuple(_ANY if initial in each else initial for each in frees))]
    seen: set[_Place] = set()

    def follow(place: _Place, number: int) -> _Place | None:
        """Return the place after an operation; None if the operation is impossible."""
        (done, values), key = place, keys[ops[number].key]
        after = _apply(ops[number], values[key], frees[key])
        if after is _REFUSED:
            return None
        return done | 1 << number, (*values[:key], after, *values[key + 1 :])

    while left:
        done, values = place = left.pop()
        if not needed & ~done:
            return True, len(seen)
        if place in seen:
            continue
        if len(seen) >= most_states:
            raise TooManyStates
        seen.add(place)
        answered, pending = list[int](), list[int]()
        for number in range((~done & (done + 1)).bit_length() - 1, len(ops)):
            if earlier[number] & ~done:
                if by_session:
                    continue
                break  # all later ones wait for the same operation
            if not done >> number & 1:
                (pending if ops[number].responded is None else answered).append(number)
        found = [(number, then) for number in answered if (then := follow(place, number))]
        same = [then for number, then in found if not ops[number].effect and then[1] == values]
        if same:  # without effect: if any order continues from here, one continues so
            left.append(same[0])
            continue
        steps = [then for _, then in found]
        # Without a response, an operation can be left out, unless one that sees its value is next.
        lookers = [number for number in answered + pending if looks[number]]
        for number in pending:
            if middle := follow(place, number):
                others = (n for n in lookers if n != number and ops[n].key == ops[number].key)
                steps += [then for other in others if (then := follow(middle, other))]
        left += reversed(steps)  # the first invoked one first
    return False, len(seen)


def sort_operations(operations: Iterable[Operation]) -> list[Operation]:
    """Return the operations that matter, in the order of time."""
    matter = (each for each in operations if each.responded is not None or each.effect)
    return sorted(matter, key=lambda each: (each.invoked, each.until))


def list_earlier(ops: Sequence[Operation], *, by_session: bool) -> list[int]:
    """Return, for each of sorted operations, those that must come before it, as bits."""
    earlier, ends, ended = [], dict[Any, list[tuple[float, int]]](), dict[Any, int]()
    for number, each in enumerate(ops):
        session = each.client if by_session else None
        mine = ends.setdefault(session, [])
        while mine and (mine[0][0] < each.invoked or (by_session and mine[0][0] == each.invoked)):
            ended[session] = ended.get(session, 0) | 1 << heapq.heappop(mine)[1]
        heapq.heappush(mine, (each.until, number))
        earlier.append(ended.get(session, 0))
    return earlier


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
