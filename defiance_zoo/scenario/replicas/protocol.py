# SPDX-License-Identifier: GPL-2.0-only
"""The interface of a protocol under test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

from defiance_zoo.scenario.replicas.replica import Event, Replica
from defiance_zoo.scenario.simulation import Parameters


class Field(NamedTuple):
    """A value of a replica's state that testers observe.

    Attributes:
        name: Name of the field, also for painters.
        kind: Kind of its number.
        largest: Maximum of a choice.
    """

    name: str
    kind: Literal["number", "choice", "replica"]
    largest: int = 0


def number(name: str) -> Field:
    """Return a field that is a number from 0 on."""
    return Field(name, "number")


def choice(name: str, largest: int) -> Field:
    """Return a field that is a choice from 0 to `largest`."""
    return Field(name, "choice", largest)


def replica_number(name: str) -> Field:
    """Return a field that is the number of a replica, or 0 for none."""
    return Field(name, "replica")


class Group(NamedTuple):
    """All replicas after a tick.

    Attributes:
        states: States of the replicas, in the order of their numbers. Each has `id`, `active`,
            `byzantine`, `log` and the protocol's fields as attributes.
        events: Events of this tick, in their order.
        requests: Number of requests so far; requests are numbered from 1.
    """

    states: tuple[Any, ...]
    events: tuple[Event, ...]
    requests: int


class Protocol:
    """A protocol under test. A subclass defines the fields of states, and the violations.

    Each episode makes a new object of the subclass, which may keep state.

    Attributes:
        fields: Fields of states, in this order.
        painter: Observed fields of a replica, such as "term:6,leads,commit:6"; empty: all fields.
        replica: The class of its replicas.
        bugs: Names of seeded bugs, which the parameter `bug` selects.
        traffic: Bytes of the longest message, and messages from one replica to another in a tick:
            messages have to arrive within `tick_interval`.
        answers_clients: Whether replicas call `answer()`, for histories.
        tolerates_byzantine: Whether guarantees hold although some replicas are Byzantine.
        rotates: Whether `takers()` changes without faults, so that healing requires no stable
            leader.
        p: The parameters of the scenario.
    """

    fields: ClassVar[Sequence[Field]]
    painter: ClassVar[str] = ""
    replica: ClassVar[type[Replica]]
    bugs: ClassVar[Sequence[str]] = ()
    traffic: ClassVar[tuple[int, int]] = (500, 3)
    answers_clients: ClassVar[bool] = False
    tolerates_byzantine: ClassVar[bool] = False
    rotates: ClassVar[bool] = False
    p: Parameters

    def takers(self, states: Sequence[Any]) -> Iterable[int]:
        """Return the numbers of the replicas that take a client's request now."""
        raise NotImplementedError

    def check(self, group: Group) -> Iterable[tuple[str, str]]:
        """Return violations of the protocol's guarantees; called after each tick.

        Returns:
            Pairs of a property and a text; repeated pairs count once.
        """
        raise NotImplementedError

    def healed(self, group: Group) -> Iterable[tuple[str, str]]:
        """Return violations that a healing phase leaves; by default none.

        In every protocol with a field `commit` and a log, the simulation itself checks that all
        replicas reach every committed entry, commit new requests, and keep their leader.
        """
        return ()

    def healing_ticks(self, group: Group) -> int:
        """Return the ticks in which replicas without faults make progress in a healing phase.

        Progress means that a replica stores or commits another entry that others have committed, or
        commits another request. The method is called at the begin of the phase and after progress.
        By default, 2,000 ticks and two for each entry of the longest log.
        """
        raise NotImplementedError

    def progress(self, group: Group) -> int:
        """Return a number that grows with finished work, for warnings without progress."""
        return 0

    def done(self, group: Group) -> bool:
        """Return whether no work is left, so that missing progress is correct."""
        return True

    def describe(self, data: bytes) -> str:
        """Return a line about a message, for charts."""
        return f"{len(data)} bytes"
