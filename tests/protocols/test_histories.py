# SPDX-License-Identifier: GPL-2.0-only
"""Histories written by hand: linearizable ones, and others with their violation."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import defiance_zoo
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.histories import Operation, check_history, read_history
from defiance_zoo.protocols.histories.search import find_order


def read(value: Any, begin: float, end: float | None, client: int = 1, key: str = "x") -> Operation:
    return Operation(client, key, "read", (), value, begin, end)


def write(
    value: Any, begin: float, end: float | None, client: int = 2, key: str = "x"
) -> Operation:
    return Operation(client, key, "write", (value,), None, begin, end)


def swap(
    expected: Any, new: Any, done: bool, begin: float, end: float | None, client: int = 3
) -> Operation:
    return Operation(client, "x", "compare_and_swap", (expected, new), done, begin, end)


LINEARIZABLE = {
    "nothing": [],
    "one after the other": [write(1, 0, 1), read(1, 2, 3), write(2, 4, 5), read(2, 6, 7)],
    "a read during a write may see either": [write(1, 0, 9), read(None, 1, 2), read(1, 3, 4)],
    "at one time is side by side": [write(1, 0, 5), read(None, 5, 6)],
    "writes side by side, in either order": [write(1, 0, 9), write(2, 0, 9), read(2, 10, 11)],
    "a write without a response that was seen": [write(1, 0, None), read(1, 5, 6)],
    "a write without a response that was not": [write(1, 0, None), read(None, 5, 6)],
    "a write without a response that is seen late": [
        write(1, 0, None), write(2, 1, 2), read(2, 3, 4), read(1, 5, 6),
    ],
    "a read without a response": [write(1, 0, 1), read(None, 2, None), read(1, 3, 4)],
    "swaps that take turns": [swap(None, 1, True, 0, 1), swap(1, 2, True, 2, 3), read(2, 4, 5)],
    "a swap that fails": [write(1, 0, 1), swap(2, 3, False, 2, 3), read(1, 4, 5)],
    "a swap without a response": [write(1, 0, 1), swap(1, 2, False, 2, None), read(2, 3, 4)],
    "a swap that could not happen": [write(1, 0, 1), swap(5, 2, False, 2, None), read(1, 3, 4)],
    "a failed swap between two writes": [
        write(1, 0, 1), swap(1, 3, False, 2, 9), write(2, 3, 4), write(1, 5, 6), read(1, 10, 11),
    ],
    "separate keys": [write(1, 0, 1), read(None, 2, 3, key="y"), read(1, 2, 3)],
}  # fmt: skip

WRONG = {
    "a read of an overwritten value": (
        "stale read",
        [write(1, 0, 1), write(2, 2, 3), read(1, 4, 5), read(2, 6, 7)],
        [write(1, 0, 1), write(2, 2, 3), read(1, 4, 5)],
    ),
    "the beginning, after a write": (
        "stale read", [write(1, 0, 1), read(None, 2, 3)], [write(1, 0, 1), read(None, 2, 3)],
    ),
    "new, then old": (
        "stale read",
        [write(1, 0, 99), read(1, 1, 2), read(None, 3, 4), read(1, 5, 6)],
        [read(1, 1, 2), read(None, 3, 4)],
    ),
    "a write without any read": (
        "lost write",
        [write(1, 0, 1), write(2, 2, 3), read(1, 4, 5), read(1, 6, 7)],
        [write(1, 0, 1), write(2, 2, 3), read(1, 4, 5), read(1, 6, 7)],
    ),
    "two swaps of one value": (
        "lost write",
        [swap(None, 1, True, 0, 5), swap(None, 2, True, 1, 6)],
        [swap(None, 1, True, 0, 5), swap(None, 2, True, 1, 6)],
    ),
    "a write that happened again": (
        "double execution",
        [write(1, 0, 1), write(2, 2, 3), read(2, 4, 5), read(1, 6, 7), read(1, 8, 9)],
        [write(1, 0, 1), read(2, 4, 5), read(1, 6, 7), read(1, 8, 9)],
    ),
    "an executed swap reported as failed": (
        "double execution",
        [write(1, 0, 1), swap(1, 2, False, 2, 3), read(2, 4, 5)],
        [write(1, 0, 1), swap(1, 2, False, 2, 3), read(2, 4, 5)],
    ),
    "an executed concurrent swap reported as failed": (
        "double execution",
        [write(1, 0, 1), swap(1, 2, False, 2, 9), read(2, 4, 5), write(3, 20, 21)],
        [swap(1, 2, False, 2, 9), read(2, 4, 5)],
    ),
    "a value from the future": (
        "unknown value", [read(7, 0, 1), write(7, 2, 3)], [read(7, 0, 1)],
    ),
    "a value from nowhere": (
        "unknown value", [write(1, 0, 1), read(7, 2, 3)], [read(7, 2, 3)],
    ),
    "a swap that must not have failed": (
        "not linearizable",
        [write(1, 0, 1), swap(1, 2, False, 2, 3)],
        [write(1, 0, 1), swap(1, 2, False, 2, 3)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LINEARIZABLE)
def test_possible_histories_are_linearizable(name: str) -> None:
    for order in itertools.islice(itertools.permutations(LINEARIZABLE[name]), 24):
        verdict = check_history(order)
        assert verdict.linearizable is True, verdict
        assert str(verdict) == "linearizable"


@pytest.mark.parametrize("name", WRONG)
def test_impossible_histories_are_reported_with_a_name_and_their_operations(name: str) -> None:
    kind, history, shown = WRONG[name]
    noise = [write(9, 0, 50, key="y"), read(9, 60, 70, key="y")]
    verdict = check_history([*history, *noise])
    assert verdict.linearizable is False
    (anomaly,) = verdict.anomalies
    assert anomaly.name == kind
    assert list(anomaly.operations) == shown
    assert str(verdict).startswith(f"{kind}: key 'x', at first None\n  client ")


@pytest.mark.parametrize("is_read", [True, False])
@pytest.mark.parametrize(("replica", "name"), [(2, "stale read"), (1, "")])
def test_answers_of_a_replica_that_never_knew_the_newer_value_are_stale(
    is_read: bool, replica: int, name: str
) -> None:
    known = [write(1, 0, 1), write(2, 2, 3), *([read(2, 4, 5)] if is_read else [])]
    old = [read(1, 6, 7), read(1, 8, 9)]
    history = [
        *(replace(each, replica=1) for each in known),
        *(replace(each, replica=replica) for each in old),
    ]
    (anomaly,) = check_history(history).anomalies
    assert anomaly.name == (name or ("double execution" if is_read else "lost write"))


@pytest.mark.parametrize(("replica", "name"), [(2, "stale read"), (1, "not linearizable")])
def test_a_value_is_stale_that_another_replica_has_denied(replica: int, name: str) -> None:
    known = [write(1, 0, 1), swap(1, 3, False, 4, 5)]
    history = [replace(each, replica=1) for each in known]
    history += [replace(write(2, 2, 9), responded=None), replace(read(1, 6, 7), replica=replica)]
    (anomaly,) = check_history(history).anomalies
    assert anomaly.name == name


def test_a_failed_request_is_not_part_of_the_history() -> None:
    asked = {"request": 3, "time_ns": 10, "client": "a", "key": "x"}
    write_it = {**asked, "event": "invoked", "operation": "write", "arguments": [1]}
    failed = {"request": 3, "time_ns": 20, "event": "failed"}
    (pending,) = read_history([{"history": json.dumps([write_it])}])
    assert (pending.client, pending.responded) == ("a", None)
    assert read_history([{"history": json.dumps([write_it, failed])}]) == []
    assert read_history([{"history": json.dumps(each)} for each in ([write_it], [failed])]) == []


def truth(history: list[Operation], initial: Any) -> bool:
    """Return whether an order exists, by trying all of them."""
    complete = [each for each in history if each.responded is not None]
    open_ = [each for each in history if each.responded is None and each.operation != "read"]
    chosen = itertools.chain.from_iterable(
        itertools.combinations(open_, count) for count in range(len(open_) + 1)
    )
    return any(
        _explains(order, initial)
        for some in chosen
        for order in itertools.permutations([*complete, *some])
    )


def _explains(order: tuple[Operation, ...], value: Any) -> bool:
    for position, each in enumerate(order):
        if any(other.until < each.invoked for other in order[position + 1 :]):
            return False
        if each.operation == "write":
            value = each.arguments[0]
        elif each.operation == "read":
            if value != each.result:
                return False
        else:
            expected, new = each.arguments
            done = True if each.responded is None else each.result
            if (value == expected) != done:
                return False
            value = new if done else value
    return True


def fails_at(time: float, shown: Sequence[Operation], history: list[Operation]) -> bool:
    """Return whether the shown operations are impossible, however all the others were executed."""
    others = [each for each in history if each not in shown and each.invoked <= time]
    free = frozenset(
        (each.key, each.arguments[-1])
        for each in others
        if each.operation != "read" and (each.effect or each.until > time)
    )
    return not find_order([each for each in shown if each.until <= time], 0, free)[0]


def test_the_search_agrees_with_trying_all_orders() -> None:
    chance = random.Random(1)
    found = {True: 0, False: 0}
    names = set()
    for _ in range(150):
        history = []
        for client in range(5):
            begin = chance.randrange(8)
            end = None if chance.random() < 0.2 else begin + chance.randrange(1, 5)
            value, other = chance.randrange(3), chance.randrange(3)
            history.append(
                chance.choice(
                    [
                        read(value, begin, end, client),
                        write(value, begin, end, client),
                        swap(value, other, chance.random() < 0.6, begin, end, client),
                    ]
                )
            )
        expected = truth(history, 0)
        verdict = check_history(history, initial=0)
        assert verdict.linearizable == expected, history
        found[expected] += 1
        for anomaly in verdict.anomalies:
            assert set(anomaly.operations) <= set(history)
            assert any(fails_at(each.until, anomaly.operations, history) for each in history)
            names.add(anomaly.name)
    assert min(found.values()) > 30
    assert len(names) > 3


def simulate(count: int, chance: random.Random, clients: int = 8) -> list[Operation]:
    """Return operations of a correct register: each takes effect at one time in its interval."""
    value: Any = 0
    history = []
    free_at = [0.0] * clients
    moments = []
    for _ in range(count):
        client = chance.randrange(clients)
        begin = free_at[client] + chance.random()
        moment, end = begin + chance.random() * 3, begin + 3 + chance.random()
        free_at[client] = end
        moments.append((moment, client, begin, end))
    for moment, client, begin, end in sorted(moments):
        kind = chance.choice(["read", "write", "swap"])
        if kind == "read":
            history.append(read(value, begin, end, client))
        elif kind == "write":
            value = int(moment * 1000)
            history.append(write(value, begin, end, client))
        else:
            expected = value if chance.random() < 0.5 else -1
            done = expected == value
            new = int(moment * 1000) + 1
            history.append(swap(expected, new, done, begin, end, client))
            value = new if done else value
    return history


def test_a_thousand_operations_are_checked_in_less_than_a_second() -> None:
    history = simulate(1000, random.Random(3))
    began = time.process_time()
    assert check_history(history, initial=0).linearizable is True
    assert time.process_time() - began < 1


def test_operations_without_effect_cause_no_backtracking() -> None:
    """Half of the operations change nothing."""
    history = simulate(1000, random.Random(3))
    assert check_history(history, initial=0, most_states=10_000).linearizable is True


@pytest.mark.parametrize("swaps", [0, 3])
def test_many_operations_without_a_response_are_decided(swaps: int) -> None:
    """Each could have happened at any time; those that nobody saw happen as well never."""
    history = [write(value, 0, None, value) for value in range(1, 31)]
    history += [swap(40 + n, 50 + n, False, 0, None, 60 + n) for n in range(20)]
    history += [swap(30, 99, False, 1 + n, 1.5 + n, 80) for n in range(swaps)]
    history += [read(value, 10 + value, 10.5 + value) for value in (30, 7, 22)]
    assert check_history(history, 0, most_states=5000).linearizable is True
    again = read(7, 50, 51)
    assert check_history([*history, again], 0, most_states=5000).linearizable is False


def test_one_stale_read_among_a_thousand_operations_is_found_and_shown() -> None:
    history = simulate(1000, random.Random(3))
    writes = [each for each in history if each.operation == "write"]
    late = max(each.until for each in history)
    stale = read(writes[100].arguments[0], late + 1, late + 2)
    began = time.process_time()
    (anomaly,) = check_history([*history, stale], initial=0).anomalies
    assert time.process_time() - began < 5
    assert anomaly.name == "stale read"
    assert stale in anomaly.operations
    assert len(anomaly.operations) == 3


def test_a_search_that_takes_too_long_is_given_up() -> None:
    """Many concurrent writes, and a read of none of them."""
    history = [write(value, 0, 100, value) for value in range(30)]
    history += [read(99, 50, 60), read(98, 61, 62), write(99, 0, None), write(98, 63, 64)]
    verdict = check_history(history, most_states=2000)
    assert verdict.linearizable is None
    assert verdict.undecided == ("x",)
    assert "too many orders" in str(verdict)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((1, "x", "append"), "operation='append' is not one of"),
        ((1, "x", ["read"]), "is not one of"),
        ((1, "x", "write"), "a write has 1 arguments, not 0"),
        ((1, "x", "read", (), 1, 5, 4), "response before its invocation"),
        ((1, "x", "write", ([1],)), r"\[1\] cannot be hashed"),
        ((1, ["x"], "write", (1,)), "cannot be hashed"),
        (({}, "x", "write", (1,)), "cannot be hashed"),
        ((1, "x", "write", "5"), "arguments='5' is of type str: give tuple"),
        ((1, "x", "write", (1,), None, "0", 1), "time '0' is not a finite number"),
        ((1, "x", "write", (1,), None, 0, math.nan), "time nan is not a finite number"),
        ((1, "x", "read", (), [1], 5, 6), r"\[1\] cannot be hashed"),
    ],
)
def test_malformed_histories_are_refused(arguments: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        Operation(*arguments)


def test_a_history_in_infos_is_checked_like_a_loaded_one() -> None:
    invoked = {"event": "invoked", "key": "x", "arguments": []}
    answered = {"event": "responded", "replica": 1}
    told = [
        {**invoked, "request": 1, "time_ns": 1, "operation": "write", "arguments": [5]},
        {**answered, "request": 1, "time_ns": 2, "result": None},
        {**invoked, "request": 2, "time_ns": 3, "operation": "read"},
        {**answered, "request": 2, "time_ns": 4, "result": 0},
    ]
    verdict = check_history(read_history([{"history": json.dumps(told)}]), initial=0)
    assert verdict.linearizable is False
    assert "client 2" in str(verdict)
    assert check_history(read_history([{"history": json.dumps(told[:3])}]), initial=0).linearizable
    for damaged in ("[", "[1]", json.dumps(told[1:])):
        with pytest.raises(ParameterError, match="no history"):
            read_history([{"history": damaged}])


OWN = """
import defiance_zoo.scenario as sc

sim = sc.Simulation("own", duration="100ms")
sim.parameter("histories", True)
sim.parameter("stop_on_violation", True)


@sim.episode
def build(p):
    (node,) = sc.nodes(1)
    agent = sc.Agent(node, sc.Discrete(2), sc.Discrete(2), StepInterval="20ms")
    agent.observe(lambda: 1)
    agent.on_action(lambda action: None)
"""


def test_another_environment_may_have_parameters_of_the_same_names(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    with contextlib.closing(
        defiance_zoo.make(str(tmp_path / "own.py"), api="parallel", histories=True)
    ) as env:
        env.reset(seed=1)
        while env.agents:
            *_, infos = env.step({"agent_0": 0})
    assert "violations" not in infos["agent_0"]
