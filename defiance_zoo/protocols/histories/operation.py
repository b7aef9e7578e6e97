# SPDX-License-Identifier: GPL-2.0-only
"""Operations of clients: requests and responses."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal

from defiance_zoo.bridge.system.plain_values import require_type, whole_number
from defiance_zoo.bridge.system.reading import parse_json
from defiance_zoo.bridge.system.spelling import require_choice
from defiance_zoo.errors import ParameterError

Kind = Literal["read", "write", "compare_and_swap"]


@dataclass(frozen=True)
class Operation:
    """An invocation and its response.

    Attributes:
        client: The client.
        key: Key of the register.
        operation: `read`, `write` or `compare_and_swap`.
        arguments: `()` for a read, `(value,)` for a write, `(expected, new)` for a
            compare-and-swap; values must be hashable.
        result: The value of a read; whether a compare-and-swap has swapped; else None.
        invoked: Time of the request.
        responded: Time of the response; None without one: the operation may have happened at any
            later time, or not at all.
        replica: Number of the replica that answered, in histories of `read_history()`.
    """

    client: Hashable
    key: Hashable
    operation: Kind
    arguments: tuple[Any, ...] = ()
    result: Any = None
    invoked: float = 0.0
    responded: float | None = None
    replica: int | None = None

    def __post_init__(self) -> None:
        counts = {"read": 0, "write": 1, "compare_and_swap": 2}
        require_choice("operation", self.operation, counts)
        require_type("arguments", self.arguments, tuple)
        if len(self.arguments) != counts[self.operation]:
            needed = counts[self.operation]
            raise ParameterError(
                f"a {self.operation} has {needed} arguments, not {len(self.arguments)}"
            )
        for value in (self.client, self.key, *self.arguments, self.result):
            try:
                hash(value)
            except TypeError:
                raise ParameterError(
                    f"the value {value!r} cannot be hashed; give a number, a text or a tuple"
                ) from None
        times: tuple[Any, ...] = (self.invoked, 0 if self.responded is None else self.responded)
        for time in times:
            if not isinstance(time, Real) or not math.isfinite(time):
                raise ParameterError(f"the time {time!r} is not a finite number")
        if self.responded is not None and self.responded < self.invoked:
            raise ParameterError(f"{self} has a response before its invocation")

    @property
    def until(self) -> float:
        """Time of the response; infinity without one."""
        return math.inf if self.responded is None else self.responded

    @property
    def swapped(self) -> bool:
        """Whether it is a successful compare-and-swap."""
        return self.operation == "compare_and_swap" and self.responded is not None and self.result

    @property
    def effect(self) -> tuple[Any, ...]:
        """A tuple with the value that it may have written; empty if it has written none."""
        if self.operation == "write":
            return self.arguments
        if self.operation == "compare_and_swap" and (self.responded is None or self.result):
            return self.arguments[1:]
        return ()

    @property
    def observed(self) -> tuple[Any, ...]:
        """A tuple with the value that it has certainly read; empty if there is none."""
        if self.responded is None:
            return ()
        if self.operation == "read":
            return (self.result,)
        return self.arguments[:1] if self.swapped else ()

    def __str__(self) -> str:
        when = (
            f"{self.invoked:g} to {self.responded:g}"
            if self.responded is not None
            else (f"{self.invoked:g}, no response")
        )
        return f"client {self.client}, {when}: {self._what()}"

    def _what(self) -> str:
        if self.operation == "read":
            outcome = f" -> {self.result!r}" if self.responded is not None else ""
            return f"read {self.key!r}{outcome}"
        if self.operation == "write":
            return f"write {self.key!r} = {self.arguments[0]!r}"
        expected, new = self.arguments
        outcome = (
            "" if self.responded is None else " -> swapped" if self.result else " -> not swapped"
        )
        return f"compare-and-swap {self.key!r}: {expected!r} by {new!r}{outcome}"


def read_history(infos: Iterable[Mapping[str, Any]], sessions: int = 0) -> list[Operation]:
    """Return the history of an episode, which `check_history(..., initial=0)` takes.

    Registers, `x` and `y`, hold 0 at first. Servers' own clients keep their numbers.

    Args:
        infos: Infos of its steps in order, with `histories=True`; with several agents, infos of one
            agent.
        sessions: Number of clients that send the requests in turn. A client without an answer at
            its next turn is replaced. 0: each request has its own client. Each client has the
            number of its first request.

    Returns:
        Requests in the order of their submission.

    Raises:
        KeyError: Infos have no history.
        ParameterError: A history is damaged, for example in a recording; or `sessions` is no
            number.
    """
    requests, turns = dict[int, Operation](), whole_number("sessions", sessions, 0)
    for info in infos:
        note_events(requests, info["history"], turns)
    return list(requests.values())


class ClientCounts:
    """Counts requests and answers in infos of one agent, in their order.

    Attributes:
        counts: Numbers of `requests`, `answers` and `answered_writes`, which include
            compare-and-swaps; each is None without histories.
    """

    def __init__(self) -> None:
        self.counts: dict[str, Any] = dict.fromkeys(("requests", "answers", "answered_writes"))
        self._reads: dict[int, bool] = {}

    def add(self, info: Mapping[str, Any]) -> None:
        """Count the events of a step."""
        if "history" not in info:
            return
        self.counts = {name: count or 0 for name, count in self.counts.items()}
        for event in parse_json(info["history"]):
            number = event["request"]
            if event["event"] == "invoked":
                self._reads[number] = event["operation"] == "read"
                self.counts["requests"] += 1
            elif event["event"] == "responded":
                self.counts["answers"] += 1
                self.counts["answered_writes"] += not self._reads.get(number)


def note_events(requests: dict[int, Operation], history: str, sessions: int = 0) -> set[Hashable]:
    """Add the events of a step to the requests by number; known events change nothing.

    Returns the keys of requests that are answered now, except writes: an answer that reports no
    value never makes a history impossible.
    """
    try:
        events = parse_json(history)
        keys = {_note_event(requests, event, sessions) for event in events}
        return keys - {None}
    except ParameterError:
        raise
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        raise ParameterError(f"no history: {type(error).__name__}: {error}") from error


def _note_event(requests: dict[int, Operation], event: Mapping[str, Any], turns: int) -> Hashable:
    """Add an event; return the key of a request whose answer reports a value."""
    number, time = event["request"], event["time_ns"] / 1e9
    if event["event"] == "invoked":
        last = requests.get(number - turns)
        is_free = last is not None and last.until <= time
        asked = Operation(
            client=event.get("client", last.client if last and is_free else number),
            key=event["key"],
            operation=event["operation"],
            arguments=tuple(event["arguments"]),
            invoked=time,
        )
        requests.setdefault(number, asked)
        return None
    if event["event"] == "failed":  # it has not happened
        requests.pop(number, None)
        return None
    asked = requests[number]
    if asked.responded is not None:
        return None
    results = {"read": event["result"], "compare_and_swap": bool(event["result"])}
    requests[number] = replace(
        asked, responded=time, result=results.get(asked.operation), replica=event["replica"]
    )
    return asked.key if asked.operation in results else None
