# SPDX-License-Identifier: GPL-2.0-only
"""Sequential consistency and guarantees of sessions: known histories, and trying everything."""

from __future__ import annotations

import itertools
import json
import random
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.histories import Operation, check_history, find_breach, read_history
from defiance_zoo.protocols.histories.search import TooManyStates
from defiance_zoo.protocols.histories.sessions import GUARANTEES

RYW, MR, MW, WFR = GUARANTEES


def history(*lines: str) -> list[Operation]:
    """Return one operation after the other: "client key=value" writes, "client key:value" reads."""
    told = []
    for at, line in enumerate(lines):
        client, what = line.split()
        key, sign, text = what.partition("=" if "=" in what else ":")
        value = None if text == "-" else text
        kind: Any = "write" if sign == "=" else "read"
        given = (value,) if kind == "write" else ()
        result = value if kind == "read" else None
        told.append(Operation(client, key, kind, given, result, at, at + 0.5))
    return told


# From section 3 of Terry et al., with registers for their databases, and others.
BROKEN = {
    "a new password is not known at once": (RYW, ["a password=new", "a password:-"]),
    "a calendar loses a meeting": (MR, ["b meeting=3", "a meeting:3", "a meeting:-"]),
    "two versions alternate": (MR, ["b x=1", "c x=2", "a x:1", "a x:2", "a x:1"]),
    "a reply is there, and the article is not": (
        f"{MR}_and_{WFR}",
        ["a article=1", "b article:1", "b reply=2", "c reply:2", "c article:-"],
    ),
    "a program uses a library that is not there yet": (
        f"{MR}_and_{MW}",
        ["a library=2", "a program=3", "b program:3", "b library:-"],
    ),
    "a write comes before an earlier one": (f"{RYW}_and_{MW}", ["a x=1", "a x=2", "a x:1"]),
    "a value from nowhere": ("unknown_value", ["a x:7"]),
}  # fmt: skip

CONSISTENT = {
    "another client reads an old value": ["a x=1", "b x:-"],
    "clients see writes in different orders": [
        "a x=1", "b y=2", "c x:1", "c y:-", "d y:2", "d x:-",
    ],
    "an old value, then the new one": ["a x=1", "a x=2", "b x:1", "b x:2"],
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_the_fewest_broken_guarantees_are_named(name: str) -> None:
    expected, lines = BROKEN[name]
    told = history(*lines)
    noise = history("z other=1", "z other:1")
    breach, _ = find_breach([*noise, *told])
    assert breach is not None
    assert breach.name == expected
    assert list(breach.operations) == told
    assert str(breach).startswith(f"{expected}: at first None\n  client ")


@pytest.mark.parametrize("name", CONSISTENT)
def test_histories_that_satisfy_all_guarantees_need_not_be_linearizable(name: str) -> None:
    told = history(*CONSISTENT[name])
    assert find_breach(told)[0] is None
    assert check_history(told).linearizable is False


def test_sequential_consistency_is_between_linearizability_and_sessions() -> None:
    """Independent writes in different orders (Lamport 1979) are the difference to sessions."""
    stale, iriw, third = (history(*lines) for lines in CONSISTENT.values())
    for told, expected in ((stale, True), (iriw, False), (third, True)):
        breach, _ = find_breach(told, "sequential_consistency")
        assert (breach is None) == expected
    breach, _ = find_breach(iriw, "sequential_consistency")
    assert breach is not None
    assert (breach.name, list(breach.operations)) == ("sequential_consistency", iriw[2:])


def draw(chance: random.Random, keys: int, gap: float = 0) -> list[Operation]:
    """Return a history of three clients, in which each write has another value."""
    told, free_at = [], [0.0] * 3
    values = dict.fromkeys(range(keys), (0,))
    for number in range(1, chance.randrange(4, 8)):
        client, key = chance.randrange(3), chance.randrange(keys)
        begin = free_at[client] + chance.randrange(2) + gap
        end = None if chance.random() < 0.1 else begin + chance.randrange(3)
        free_at[client] = begin if end is None else end
        kind: Any = chance.choice(["read", "read", "write", "write", "compare_and_swap"])
        known = chance.choice([*values[key], 0])
        given = {"read": (), "write": (number,), "compare_and_swap": (known, number)}[kind]
        if kind != "read":
            values[key] = (*values[key], number)
        result = known if kind == "read" else chance.random() < 0.8
        told.append(Operation(client, key, kind, given, result, begin, end))
    for place, each in enumerate(told):
        if each.operation == "read" and chance.random() < 0.5:
            value = chance.choice([0, *(v for e in told if e.key == each.key for v in e.effect)])
            told[place] = Operation(each.client, each.key, "read", (), value, each.invoked,
                                    each.responded)  # fmt: skip
    return [each for each in told if each.responded is not None or each.effect]


def earlier(each: Operation, told: Sequence[Operation]) -> list[Operation]:
    """Return the operations that come before one in its session."""
    ordered = sorted(told, key=lambda one: (one.invoked, one.until))
    before = ordered[: next(n for n, one in enumerate(ordered) if one is each)]
    return [one for one in before if one.client == each.client and one.until <= each.invoked]


def subsets(items: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    return itertools.chain.from_iterable(
        itertools.combinations(items, count) for count in range(len(items) + 1)
    )


def try_all_sets(told: list[Operation], names: Sequence[str]) -> bool:
    """Return whether guarantees hold, by trying all orders of writes and all sets of each read."""
    writes = [each for each in told if each.effect]
    reads = [each for each in told if each.observed]

    def origin(read: Operation) -> list[Operation]:
        return [each for each in writes if each.key == read.key and each.effect == read.observed]

    if any(
        r.observed != (0,) and not (origin(r) and origin(r)[0].invoked <= r.until) for r in reads
    ):
        return False

    def seen_before(each: Operation, *, itself: bool = False) -> list[Operation]:
        before = [e for e in earlier(each, told) if e.observed]
        return [
            w for e in [*before, *([each] if itself and each.observed else [])] for w in origin(e)
        ]

    def is_right(
        read: Operation, chosen: tuple[Operation, ...], order: Sequence[Operation]
    ) -> bool:
        last = [each for each in order if each in chosen and each.key == read.key]
        if (last[-1].effect if last else (0,)) != read.observed or read in chosen:
            return False
        needed: list[Operation] = []
        if RYW in names:
            needed += [each for each in earlier(read, told) if each.effect]
        if MR in names:
            needed += seen_before(read)
        for each in chosen:
            first: list[Operation] = []
            if MW in names:
                first += [other for other in earlier(each, told) if other.effect]
            if WFR in names:
                first += seen_before(each, itself=True)
            if any(order.index(other) >= order.index(each) for other in first):
                return False
            needed += first
        return all(each in chosen for each in needed)

    return any(
        all(any(is_right(read, each, order) for each in subsets(writes)) for read in reads)
        for order in itertools.permutations(writes)
    )


def try_all_orders(told: list[Operation]) -> bool:
    """Return whether a history is sequentially consistent, by trying all orders."""
    whole = [each for each in told if each.responded is not None]
    for some in subsets([each for each in told if each.responded is None]):
        for order in itertools.permutations([*whole, *some]):
            values: dict[Any, Any] = {}
            for place, each in enumerate(order):
                if any(one in order[place:] for one in earlier(each, told)):
                    break
                held = values.get(each.key, 0)
                if each.operation == "compare_and_swap":
                    done = each.responded is None or each.result
                    if (held == each.arguments[0]) != done:
                        break
                elif each.operation == "read" and each.result != held:
                    break
                values[each.key] = (*each.effect, held)[0]
            else:
                return True
    return False


@pytest.mark.long
def test_guarantees_of_sessions_agree_with_trying_all_sets() -> None:
    chance, found = random.Random(1), dict[str, int]()
    for _ in range(400):
        told = draw(chance, 2)
        expected = [names for names in subsets(GUARANTEES) if not try_all_sets(told, names)]
        breach, _ = find_breach(told, initial=0)
        name = breach.name if breach else ""
        assert name == (("_and_".join(expected[0]) or "unknown_value") if expected else ""), told
        found[name] = found.get(name, 0) + 1
        if breach:
            assert set(breach.operations) <= set(told)
    assert found[""] > 50
    assert len(found) > 5


@pytest.mark.long
def test_sequential_consistency_agrees_with_trying_all_orders() -> None:
    chance, found = random.Random(2), {True: 0, False: 0}
    for _ in range(200):
        told = draw(chance, 2, 0.1)  # operations at the same time are concurrent in real time
        expected = try_all_orders(told)
        assert (find_breach(told, "sequential_consistency", 0)[0] is None) == expected, told
        found[expected] += 1
        if check_history(told, initial=0).linearizable:
            assert expected
    assert min(found.values()) > 30


def test_five_hundred_operations_are_checked_in_a_second() -> None:
    told = [
        Operation(n % 8, n // 50 % 2, "write" if n % 3 else "read", (n,) if n % 3 else (),
                  None if n % 3 else 0, n, n + 0.5)
        for n in range(500)
    ]  # fmt: skip
    last = {0: 0, 1: 0}
    for place, each in enumerate(told):
        if each.operation == "read":
            told[place] = Operation(
                each.client, each.key, "read", (), last[each.key], each.invoked, each.responded
            )
        else:
            last[each.key] = each.arguments[0]
    began = time.process_time()
    assert find_breach(told, "sessions", 0)[0] is None
    assert find_breach(told, "sequential_consistency", 0)[0] is None
    assert time.process_time() - began < 1


def test_a_search_for_an_order_is_given_up() -> None:
    told = [Operation(n, "x", "write", (n,), None, 0, 9) for n in range(1, 20)]
    told += [Operation("a", "x", "read", (), 0, 10 + n, 10.5 + n) for n in range(2)]
    told.insert(0, Operation("a", "x", "write", (99,), None, 0, 5))
    with pytest.raises(TooManyStates):
        find_breach(told, "sequential_consistency", 0, most_states=1000)


@pytest.mark.parametrize("consistency", ["session", "linearizability", None])
def test_an_unknown_consistency_is_refused(consistency: Any) -> None:
    """`check_history()` checks for linearizability."""
    with pytest.raises(ParameterError, match=r"consistency=.* is not one of"):
        find_breach(history("a x=1"), consistency)


@pytest.mark.parametrize("sessions", [-1, "2", None])
def test_a_wrong_number_of_sessions_is_refused(sessions: Any) -> None:
    with pytest.raises(ParameterError, match=f"sessions={sessions!r} is"):
        read_history([], sessions)


def test_requests_without_clients_are_those_of_sessions() -> None:
    def invoke(number: int) -> dict[str, Any]:
        asked = {"operation": "write", "key": "x", "arguments": [number]}
        return {"event": "invoked", "request": number, "time_ns": number * 10, **asked}

    def answer(number: int, at: int) -> dict[str, Any]:
        return {
            "event": "responded", "request": number, "time_ns": at, "replica": 1, "result": 1,
        }  # fmt: skip

    events = [invoke(1), answer(1, 15), invoke(2), invoke(3), invoke(4), answer(2, 45), invoke(5),
              {**invoke(6), "client": 9}]  # fmt: skip
    infos = [{"history": json.dumps(events)}]
    assert [each.client for each in read_history(infos)] == [1, 2, 3, 4, 5, 9]
    assert [each.client for each in read_history(infos, sessions=2)] == [1, 2, 1, 4, 5, 9]
    with pytest.raises(ParameterError):
        read_history([{"history": json.dumps([answer(1, 1)])}], sessions=2)
