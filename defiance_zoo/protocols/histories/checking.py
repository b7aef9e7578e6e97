# SPDX-License-Identifier: GPL-2.0-only
"""Checks of histories of clients for linearizability."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from defiance_zoo.protocols.histories.client_requests import ClientRequest
from defiance_zoo.protocols.histories.explanation import Anomaly, explain
from defiance_zoo.protocols.histories.operation import Operation
from defiance_zoo.protocols.histories.search import TooManyStates, is_linearizable

MOST_STATES = 1_000_000
"""Default maximum of visited states for a key."""


@dataclass(frozen=True)
class Verdict:
    """The verdict on a history.

    Attributes:
        anomalies: An anomaly for each key whose operations have no valid order.
        undecided: Keys whose search was abandoned.
    """

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
    operations: Iterable[Operation | ClientRequest],
    initial: Hashable = None,
    initials: Mapping[Hashable, Any] | None = None,
    most_states: int = MOST_STATES,
) -> Verdict:
    """Check whether a history is linearizable, key by key; this is equivalent to all at once.

    Registers of `partition_v0` begin with 0, so their histories need `initial=0`.

    Args:
        operations: `Operation`s in any order, or the requests of `read_history()`.
        initial: Value of a key before all operations.
        initials: Initial values of keys that differ from `initial`.
        most_states: Maximum number of visited states for a key; a key that needs more is undecided.
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
