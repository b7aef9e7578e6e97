# SPDX-License-Identifier: GPL-2.0-only
"""A protocol: what a tester has to know of its replicas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

from defiance_zoo.scenario.replicas.events import Event
from defiance_zoo.scenario.replicas.replica import Replica
from defiance_zoo.scenario.simulation import Parameters


class Field(NamedTuple):
    """One of the values that testers see of a replica.

    Attributes:
        name: As painters call it.
        kind: Meaning of its number.
        largest: Largest value of a choice.
    """

    name: str
    kind: Literal["number", "choice", "replica"]
    largest: int = 0


def number(name: str) -> Field:
    """Return a field that is a number from 0 on."""
    return Field(name, "number")


def choice(name: str, largest: int) -> Field:
    """Return a field that is one of a few, from 0 to the largest."""
    return Field(name, "choice", largest)


def replica_number(name: str) -> Field:
    """Return a field that is the number of a replica, or 0 for none."""
    return Field(name, "replica")


class Group(NamedTuple):
    """All replicas after a tick.

    Attributes:
        states: Their states, in the order of their numbers. Each has `id`, `active`, `byzantine`,
            `log` and the protocol's fields as attributes.
        events: Events of this tick, in their order.
        requests: Number of requests that were handed over so far: they are 1 to this.
    """

    states: tuple[Any, ...]
    events: tuple[Event, ...]
    requests: int


class Protocol:
    """A protocol under test. A subclass says what there is to see, and what may never be.

    Each episode makes an object of it, which may keep what it has seen.

    Attributes:
        fields: Fields of states, in this order.
        painter: Observed fields of a replica, such as "term:6,leads,commit:6"; empty: all fields.
        replica: The class of its replicas.
        bugs: Names of mistakes that replicas make on purpose if `bug` says so.
        traffic: Bytes of the longest message, and how many messages a replica sends another one in
            a tick: messages have to arrive within `tick_interval`.
        answers_clients: Whether replicas call `answer()`, for histories.
        tolerates_byzantine: Whether guarantees hold though some replicas are Byzantine.
        p: The parameters of the scenario.
    """

    fields: ClassVar[Sequence[Field]]
    painter: ClassVar[str] = ""
    replica: ClassVar[type[Replica]]
    bugs: ClassVar[Sequence[str]] = ()
    traffic: ClassVar[tuple[int, int]] = (500, 3)
    answers_clients: ClassVar[bool] = False
    tolerates_byzantine: ClassVar[bool] = False
    p: Parameters

    def takers(self, states: Sequence[Any]) -> Iterable[int]:
        """Return the numbers of the replicas that take a client's request now."""
        raise NotImplementedError

    def check(self, group: Group) -> Iterable[tuple[str, str]]:
        """Return violations of what the protocol guarantees; it is called after each tick.

        Returns:
            The property and what violates it; those that were returned before count once.
        """
        raise NotImplementedError

    def healed(self, group: Group) -> Iterable[tuple[str, str]]:
        """Return violations that a healing phase leaves; by default there are none.

        It is called when the phase ends. That all replicas reach every committed entry, and commit
        new requests, is checked for every protocol with a field `commit` and a log.
        """
        return ()

    def progress(self, group: Group) -> int:
        """Return a number that grows with the work that is done, for warnings without progress."""
        return 0

    def done(self, group: Group) -> bool:
        """Return whether nothing is left to be done, so that no progress is no fault."""
        return True

    def describe(self, data: bytes) -> str:
        """Return a line about a message, for charts."""
        return f"{len(data)} bytes"
