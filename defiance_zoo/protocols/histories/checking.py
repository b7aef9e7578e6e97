# SPDX-License-Identifier: GPL-2.0-only
"""Checks of histories of clients for linearizability, and explanations of their failures."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from defiance_zoo.protocols.histories.operation import Operation
from defiance_zoo.protocols.histories.search import MOST_STATES, TooManyStates, find_order

_COMBINATIONS = 5000
"""Maximum number of tried sub-histories of one length."""


@dataclass(frozen=True)
class Anomaly:
    """Operations that no actions of other clients can explain.

    Attributes:
        name: Name of the anomaly; see `docs/protocols/exploration.md`.
        key: Key of the operations; None: several keys.
        initial: Value of the key before all operations.
        operations: Operations of the anomaly, in the order of invocations.
    """

    name: str
    key: Hashable
    initial: Hashable
    operations: tuple[Operation, ...]

    def __str__(self) -> str:
        """Return the name of the anomaly, and a line for each operation."""
        of_key = "" if self.key is None else f"key {self.key!r}, "
        lines = [f"{self.name}: {of_key}at first {self.initial!r}"]
        return "\n  ".join([*lines, *map(str, self.operations)])


def explain(operations: Sequence[Operation], initial: Hashable, most_states: int) -> Anomaly:
    """Return the shortest found explanation of a history that is not linearizable.

    The history is cut at the first response that makes it impossible. Then operations are left out,
    and their values may be present at any time; the remaining operations are impossible for any
    behaviour of the others. No further operation can be left out.
    """
    begin = _until(_first_impossible(operations, initial, most_states), operations)
    originals = {id(each): whole for each, whole in begin}
    cut = [each for each, _ in begin]
    last = max((each for each in cut if each.responded is not None), key=lambda o: o.until)

    def fails(kept: Sequence[Operation]) -> bool:
        left_out = [each for each in cut if all(each is not other for other in kept)]
        free = {(each.key, value) for each in left_out for value in each.effect}
        return not find_order(kept, initial, free, most_states)[0]

    kept = shorten(cut, fails)
    for length in range(1, len(kept)):
        if math.comb(len(cut) - 1, length - 1) > _COMBINATIONS:
            break
        others = [each for each in cut if each is not last]
        shorter = ([*chosen, last] for chosen in itertools.combinations(others, length - 1))
        found = next((each for each in shorter if fails(each)), None)
        if found is not None:
            kept = found
            break
    name, beside = _name(kept, last, operations, initial)
    whole = [originals.get(id(each), each) for each in (*kept, *beside)]
    shown = {id(each): each for each in whole}.values()
    by_time = sorted(shown, key=lambda each: (each.invoked, each.until))
    return Anomaly(name, last.key, initial, tuple(by_time))


def _until(time: float, history: Sequence[Operation]) -> list[tuple[Operation, Operation]]:
    """Return the operations invoked by a time, with and without later responses."""
    known = [each for each in history if each.invoked <= time]
    return [(e if e.until <= time else replace(e, responded=None), e) for e in known]


def _first_impossible(
    operations: Sequence[Operation], initial: Hashable, most_states: int
) -> float:
    """Return the time of the first response that makes a history impossible."""
    times = sorted({each.until for each in operations if each.responded is not None})
    low, high = 0, len(times) - 1  # the history up to the last response is impossible
    while low < high:
        middle = (low + high) // 2
        begin = [each for each, _ in _until(times[middle], operations)]
        if find_order(begin, initial, most_states=most_states)[0]:
            low = middle + 1
        else:
            high = middle
    return times[low]


def shorten(operations: Sequence[Operation], fails: Any) -> list[Operation]:
    """Leave out as many as possible, larger parts first (Zeller and Hildebrandt's ddmin)."""
    kept = list(operations)
    part = len(kept) // 2
    while part:
        position, shorter = 0, False
        while position < len(kept):
            trial = kept[:position] + kept[position + part :]
            if fails(trial):
                kept, shorter = trial, True
            else:
                position += part
        part = part // 2 if part > 1 else int(shorter)
    return kept


def _name(
    kept: Sequence[Operation], last: Operation, history: Sequence[Operation], initial: Hashable
) -> tuple[str, list[Operation]]:
    """Return the name of an anomaly, and its operations."""
    if not last.observed:
        return _name_of_failure(last, history, initial)
    (seen,) = last.observed
    by_then = [each for each in history if each.invoked <= last.until]
    if seen != initial and not any(each.effect == (seen,) for each in by_then):
        claims = [
            each
            for each in history
            if each.operation == "compare_and_swap"
            and each.arguments[1] == seen
            and each.invoked <= last.until
        ]
        return ("double execution", claims) if claims else ("unknown value", [])
    if last.swapped and any(e is not last and e.swapped and e.observed == (seen,) for e in kept):
        return "lost write", []
    known = [(each.until, each.effect or each.observed) for each in kept]
    newer = [each for each in known if each[0] < last.invoked and each[1] not in ((), (seen,))]
    if not newer:
        denials = [e for e in kept if e.operation == "compare_and_swap" and e.result is False]
        denied = any(e.arguments[0] == seen and e.until < last.invoked for e in denials)
        elsewhere = all(each.replica != last.replica for each in denials)
        return ("stale read" if denied and elsewhere else "not linearizable"), []
    (value,) = max(newer, key=lambda each: each[0])[1]
    return _name_of_older(value, seen, last, history)


def _name_of_failure(
    last: Operation, history: Sequence[Operation], initial: Hashable
) -> tuple[str, list[Operation]]:
    """Return the name of the anomaly of a failed compare-and-swap."""
    if last.operation == "compare_and_swap":
        new = last.arguments[1]
        if new != initial and not any(each.effect == (new,) for each in history):
            seen = [each for each in history if each.observed == (new,)]
            if seen:  # only this operation can have written the value
                return "double execution", [seen[0], last]
    return "not linearizable", []


def _name_of_older(
    newer: Any, older: Any, last: Operation, history: Sequence[Operation]
) -> tuple[str, list[Operation]]:
    """Return the name of the anomaly of a value that was read after a newer one."""
    later = [each for each in history if each.invoked > last.until and each.observed]
    observers = [each for each in history if each.observed == (newer,)]
    # Another replica may never have known the newer value: its answers are stale, however often.
    knew = {each.replica for each in history if (newer,) in (each.effect, each.observed)}
    again = [each for each in later if each.observed == (older,) and each.replica in knew]
    if not again or any(each.observed == (newer,) for each in later):
        return "stale read", []
    before = [each for each in observers if each.until < last.invoked]
    if before:  # the newer value was lost, and the older one returned
        return "double execution", [before[-1], again[0]]
    return ("lost write", [again[0]]) if not observers else ("stale read", [])


@dataclass(frozen=True)
class Verdict:
    """An anomaly for each key without a valid order, and the keys whose search was abandoned."""

    anomalies: tuple[Anomaly, ...] = ()
    undecided: tuple[Hashable, ...] = field(default=())

    @property
    def linearizable(self) -> bool | None:
        """Whether the history is linearizable; None if undecided."""
        if self.anomalies:
            return False
        return None if self.undecided else True

    def __str__(self) -> str:
        """Return the anomalies, with a line for each operation."""
        if self.linearizable:
            return "linearizable"
        given_up = [f"key {key!r}: too many orders to check" for key in self.undecided]
        return "\n".join([*map(str, self.anomalies), *given_up])


def check_history(
    operations: Iterable[Operation],
    initial: Hashable = None,
    most_states: int = MOST_STATES,
) -> Verdict:
    """Check whether a history is linearizable, key by key; this is equivalent to all at once.

    Registers of `partition_v0` begin with 0, so their histories need `initial=0`.

    Args:
        operations: Operations in any order, such as those of `read_history()`.
        initial: Value of a key before all operations.
        most_states: Maximum number of visited states for a key; a key that needs more is undecided.
    """
    by_key: dict[Hashable, list[Operation]] = {}
    for each in operations:
        by_key.setdefault(each.key, []).append(each)
    anomalies, undecided = [], []
    for key, mine in by_key.items():
        try:
            if not find_order(mine, initial, most_states=most_states)[0]:
                anomalies.append(explain(mine, initial, most_states))
        except TooManyStates:
            undecided.append(key)
    return Verdict(tuple(anomalies), tuple(undecided))
