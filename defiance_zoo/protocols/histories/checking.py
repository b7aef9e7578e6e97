# SPDX-License-Identifier: GPL-2.0-only
"""Histories of clients: what in them cannot be, and why."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from defiance_zoo.protocols.histories.client_requests import ClientRequest
from defiance_zoo.protocols.histories.explanation import Anomaly, explain
from defiance_zoo.protocols.histories.operation import Operation
from defiance_zoo.protocols.histories.search import TooManyStates, is_linearizable

MOST_STATES = 1_000_000
"""Largest number of states that are visited for a key, by default."""


@dataclass(frozen=True)
class Verdict:
    """The verdict on a history.

    Attributes:
        anomalies: One for each key whose operations cannot be put into an order.
        undecided: Keys whose search was given up.
    """

    anomalies: tuple[Anomaly, ...] = ()
    undecided: tuple[Hashable, ...] = field(default=())

    @property
    def linearizable(self) -> bool | None:
        """Whether all is as if operations happened one after the other; None: not known."""
        if self.anomalies:
            return False
        return None if self.undecided else True

    def __str__(self) -> str:
        """Return the findings, a line for each operation that shows one."""
        if self.linearizable:
            return "linearizable"
        given_up = [f"key {key!r}: too many orders to look at" for key in self.undecided]
        return "\n".join([*map(str, self.anomalies), *given_up])


def check_history(
    operations: Iterable[Operation | ClientRequest],
    initial: Hashable = None,
    initials: Mapping[Hashable, Any] | None = None,
    most_states: int = MOST_STATES,
) -> Verdict:
    """Check whether a history is linearizable, key by key, which is the same as all together.

    Registers of `partition_v0` begin with 0, so their histories need `initial=0`.

    Args:
        operations: In any order: `Operation`s, or the requests that `read_history()` returned.
        initial: Value of a key before all of them.
        initials: The same of some keys that begin with other values.
        most_states: At most so many states are looked at for a key; a key that needs more is not
            decided.
    """
    by_key: dict[Hashable, list[Operation]] = {}
    for each in map(Operation.of, operations):
        by_key.setdefault(each.key, []).append(each)
    anomalies, undecided = [], []
    for key, mine in by_key.items():
        first = (initials or {}).get(key, initial)
        try:
            if not is_linearizable(mine, first, most_states=most_states):
                anomalies.append(explain(mine, first, most_states))
        except TooManyStates:
            undecided.append(key)
    return Verdict(tuple(anomalies), tuple(undecided))
