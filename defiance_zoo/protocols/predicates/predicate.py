# SPDX-License-Identifier: GPL-2.0-only
"""Predicates of the states of all replicas, for any protocol.

goal = leader_in_term(4) & ~log_gap(2)
goal(read_replicas(info))

The modules `raft` and `tendermint` have predicates of a protocol, and hierarchies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from defiance_zoo.envs.partition.states import Replicas, read_replicas


@dataclass(frozen=True)
class Predicate:
    """A predicate of the state of the system.

    `&`, `|` and `~` combine predicates.

    Attributes:
        name: Name of the predicate.
        function: Returns whether it holds for the states of all replicas, the result of
            `read_replicas()`.
    """

    name: str
    function: Callable[[Any], bool]

    def __call__(self, replicas: Sequence[Any]) -> bool:
        return self.function(replicas)

    def __and__(self, other: Predicate) -> Predicate:
        return Predicate(f"({self.name} and {other.name})", lambda s: self(s) and other(s))

    def __or__(self, other: Predicate) -> Predicate:
        return Predicate(f"({self.name} or {other.name})", lambda s: self(s) or other(s))

    def __invert__(self) -> Predicate:
        return Predicate(f"not {self.name}", lambda s: not self(s))


Hierarchies = Mapping[str, tuple[Predicate, ...]]
"""Hierarchies of predicates, by the name of the last predicate."""


def pending_requests(least: int) -> Predicate:
    """Return a predicate: this number of clients' requests has not been submitted yet."""

    def holds(replicas: Replicas) -> bool:
        return replicas.pending_requests >= least

    return Predicate(f"{least} requests pending", holds)


def satisfied(info: Mapping[str, Any], hierarchy: Sequence[Predicate]) -> list[str]:
    """Return the names of the predicates that hold."""
    replicas = read_replicas(info)
    return [predicate.name for predicate in hierarchy if predicate(replicas)]
