# SPDX-License-Identifier: GPL-2.0-only
"""Checks of histories for guarantees weaker than linearizability, of all keys together.

In a *session*, the operations of one client, an operation comes after those that were answered by
its invocation. Sequential consistency (Lamport, How to make a multiprocessor computer that
correctly executes multiprocess programs, 1979): an order of all operations that keeps the order of
each session explains all answers. Guarantees of sessions (Terry et al., Session guarantees for
weakly consistent replicated data, 1994): writes have an order; a read sees a set of writes, and
returns the value of the last one to its key.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import reduce
from graphlib import CycleError, TopologicalSorter
from operator import or_
from typing import Any

from defiance_zoo.bridge.system.spelling import require_choice
from defiance_zoo.protocols.histories.checking import Anomaly, shorten
from defiance_zoo.protocols.histories.operation import Operation
from defiance_zoo.protocols.histories.search import (
    MOST_STATES,
    TooManyStates,
    find_order,
    list_earlier,
    sort_operations,
)

GUARANTEES = ("read_your_writes", "monotonic_reads", "monotonic_writes", "writes_follow_reads")
"""The set of a read has the session's earlier writes, and what its earlier reads returned. Sets
with a write have the session's earlier writes, and what the session read before, in this order."""

EXPLAINED = 20_000  # visited states in each search for fewer operations


def find_breach(
    operations: Iterable[Operation],
    consistency: str = "sessions",
    initial: Hashable = None,
    most_states: int = MOST_STATES,
) -> tuple[Anomaly | None, int]:
    """Return operations that break a guarantee, if any, and the number of visited states.

    The name of the anomaly is `sequential_consistency`; or the fewest guarantees of sessions that
    cannot hold together, joined by `_and_`; or `unknown_value`: no request had written it.
    None of its operations can be left out.

    Args:
        operations: Operations in any order.
        consistency: `sessions`, for all guarantees of sessions, or `sequential_consistency`.
        initial: Value of each key before all operations.
        most_states: Maximum number of visited states.

    Raises:
        ParameterError: There is no such consistency.
        TooManyStates: Sequential consistency is undecided after these states.
    """
    require_choice("consistency", consistency, ("sessions", "sequential_consistency"))
    known = sort_operations(operations)

    def check(kept: Sequence[Operation], names: Iterable[str], most: int) -> tuple[bool, int]:
        """Check some operations, if the others may have written at any time."""
        shown = set(map(id, kept))
        others = [each for each in known if id(each) not in shown]
        free = {(each.key, value) for each in others for value in each.effect}
        if consistency == "sessions":
            return _has_sets(kept, set(names), initial, free), len(kept)
        return find_order(kept, initial, free, most, by_session=True)

    def fails(kept: Sequence[Operation]) -> bool:
        with contextlib.suppress(TooManyStates):
            return not check(kept, names, EXPLAINED)[0]
        return False

    possible, visited = check(known, GUARANTEES, most_states)
    if possible:
        return None, visited
    names: tuple[str, ...] = (consistency,)
    if consistency == "sessions":
        sets = (each for n in range(5) for each in itertools.combinations(GUARANTEES, n))
        names = next(each for each in sets if not check(known, each, 0)[0])
    name = "_and_".join(names) or "unknown_value"
    return Anomaly(name, None, initial, tuple(shorten(known, fails))), visited


def _has_sets(ops: Sequence[Operation], names: set[str], initial: Hashable, free: set[Any]) -> bool:
    """Return whether an order of writes satisfies guarantees of sessions, with the smallest sets.

    Larger sets only add conditions on the order.
    """
    written, of_key = dict[Any, list[int]](), dict[Hashable, int]()
    for number, each in enumerate(ops):
        for value in each.effect:
            written.setdefault((each.key, value), []).append(number)
            of_key[each.key] = of_key.get(each.key, 0) | 1 << number
    read = dict[int, int]()  # the bit of the write that a read returned; 0: the initial value
    for number, each in enumerate(ops):
        for value in each.observed if (each.key, *each.observed) not in free else ():
            writes = [w for w in written.get((each.key, value), ()) if ops[w].invoked <= each.until]
            origins = [1 << w for w in writes if w != number] + [0] * (value == initial)
            if not origins:
                return False
            if len(origins) == 1:
                read[number] = origins[0]
    earlier, all_writes = list_earlier(ops, by_session=True), sum(of_key.values())
    own_writes = [mask & all_writes for mask in earlier]
    were_read = [_union(read.get(other, 0) for other in _bits(mask)) for mask in earlier]
    before = [0] * len(ops)
    for number in _bits(all_writes):
        before[number] |= own_writes[number] if "monotonic_writes" in names else 0
        if "writes_follow_reads" in names:
            before[number] |= were_read[number] | read.get(number, 0)
    closed = _close(before)
    if closed is None:
        return False
    for number, origin in read.items():
        sees = origin
        sees |= own_writes[number] if "read_your_writes" in names else 0
        sees |= were_read[number] if "monotonic_reads" in names else 0
        sees |= _union(closed[write] for write in _bits(sees))
        overwritten = sees & of_key.get(ops[number].key, 0) & ~origin
        if overwritten and not origin:
            return False
        for write in _bits(origin):
            before[write] |= overwritten
    return _close(before) is not None


def _close(before: Sequence[int]) -> list[int] | None:
    """Return all direct and indirect predecessors, as bits; None if there is a cycle."""
    closed = list(before)
    try:
        for each in TopologicalSorter(dict(enumerate(map(_bits, before)))).static_order():
            closed[each] |= _union(closed[other] for other in _bits(before[each]))
    except CycleError:
        return None
    return closed


def _union(masks: Iterable[int]) -> int:
    return reduce(or_, masks, 0)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
