# SPDX-License-Identifier: GPL-2.0-only
"""A replica: one process of a protocol, its disk, and its whole state."""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from defiance_zoo.scenario.native import PACKAGE, core
from defiance_zoo.scenario.replicas.files import Files
from defiance_zoo.scenario.replicas.killing import call_until_killed, takes_effect
from defiance_zoo.scenario.replicas.machine import Clock, SlowDisk
from defiance_zoo.scenario.replicas.stage import misuse, now
from defiance_zoo.scenario.simulation import Parameters

_WORD = 64


class Draws(random.Random):
    """A stream determined by the seed of the episode, a replica and a number.

    Each random number is a hash of these and of a count. So equal counts mean equal futures, even
    after different histories.
    """

    count: int

    def __new__(cls, *_given: int) -> Draws:
        return super().__new__(cls)  # which takes at most one argument in Python 3.10

    def __init__(self, replica: int, stream: int) -> None:
        self._stream = replica, stream
        self.count = 0
        self._key = b""
        super().__init__(0)

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Restart the stream; a seed from code under test selects another stream."""
        key = (core.seed(), self._stream, a if isinstance(a, int | str | bytes) else None)
        self._key = repr(key).encode()
        self.gauss_next = None

    def getrandbits(self, k: int) -> int:
        words = max(1, -(-k // _WORD))
        drawn = 0
        for _ in range(words):
            drawn = drawn << _WORD | self._draw()
        return drawn >> words * _WORD - k

    def random(self) -> float:
        return (self._draw() >> 11) * 2.0**-53

    def _draw(self) -> int:
        self.count += 1
        key = b"%s/%d" % (self._key, self.count)
        return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "little")


_FIRST = 1000
"""The first number for kinds; smaller numbers have a fixed meaning in all protocols."""

_kinds: list[str] = []


class Event(NamedTuple):
    """An event of a replica in this tick; see `Replica.note`.

    Attributes:
        replica: Number of the replica.
        kind: A word for the event.
        at: Place of the event, such as a term or an index.
        value: Value of the event.
    """

    replica: int
    kind: str
    at: int
    value: int


def kind_number(kind: str) -> int:
    """Return the number of a kind, the same in all copies of this process."""
    if kind not in _kinds:
        _kinds.append(kind)
    return _FIRST + _kinds.index(kind)


def read_events(rows: list[tuple[int, int, int, int]]) -> tuple[Event, ...]:
    """Return the protocol's events among the reported events."""
    return tuple(
        Event(replica, _kinds[kind - _FIRST], at, value)
        for replica, kind, at, value in rows
        if kind >= _FIRST
    )


def _fits(value: Any) -> bool:
    """Return whether a value is an int of 64 bits; ns-3 would let others crash the replica."""
    return isinstance(value, int) and -(2**63) <= value < 2**63


LONGEST_MESSAGE = 65_507
"""Bytes that fit into a UDP datagram."""


class Entry(NamedTuple):
    """An entry of a log.

    Attributes:
        term: The term, view or round of its proposal.
        request: Number of the client's request; 0: an entry of the protocol.
    """

    term: int
    request: int


class State(NamedTuple):
    """The whole state of a replica at an instant.

    Attributes:
        fields: The values of the protocol's fields, in their order: ints from 0 on.
        log: Entries of the log.
        internals: All other state that determines the replica's behaviour: numbers, texts, bytes,
            None, and lists, tuples, dicts and sets of these. Only hashes of states include it.
    """

    fields: Sequence[int]
    log: Sequence[Entry] = ()
    internals: Any = ()


class Disk(dict[str, Any]):
    """The data that survive a crash of a replica: values by name, and files of foreign code.

    The disk holds references: changing a stored object changes the disk at once. Store a copy of an
    object that the process keeps in memory as well. Snapshots and branches copy the disk.

    Attributes:
        files: Files that patched code has written, in memory; see `patched`.
        clock: Clock of the replica's machine; None: it shows virtual time.
        clock_error: Seconds by which a tester has put this clock ahead.
        streams: Number of processes that have drawn random numbers, each from a separate stream.
    """

    def __init__(self) -> None:
        super().__init__()
        self.files = Files()
        self.clock: Clock | None = None
        self.clock_error = 0.0
        self.streams = 0

    def __setattr__(self, name: str, value: Any) -> None:
        if not sys._getframe(1).f_code.co_filename.startswith(PACKAGE):
            misuse(
                f"self.disk.{name} cannot be set, as crashes keep no attributes: keep data by "
                f"name, in self.disk[{name!r}]"
            )
        super().__setattr__(name, value)


class Replica:
    """One process of a protocol. A subclass defines its methods.

    Each start of the process makes a new object by `__init__()` without arguments, which sets the
    initial state, and then calls `recover()`. A crash calls `forget()` and drops the object, so
    that only the disk remains. A stopped replica has an object without a call of `recover()`: its
    `state()` shows the disk.

    An exception in `recover()`, `tick()`, `submit()` or `message()` is a crash of this replica, and
    a violation.

    Attributes:
        id: Its number, from 1 on.
        size: Number of replicas.
        others: Numbers of the other replicas.
        disk: Data that survive a crash.
        bug: Name of its seeded bug, one of `Protocol.bugs`; empty: none.
        byzantine: Whether it may violate its protocol.
        p: The parameters of the scenario.
    """

    id: int
    size: int
    others: tuple[int, ...]
    disk: Disk
    bug: str
    byzantine: bool
    p: Parameters
    _port: Any
    _draws: Draws | None = None
    _awake: float = 0.0
    """Time of its clock until which the replica sleeps; see `patched`."""
    _slow_disk: SlowDisk | None = None
    _is_over: bool = False
    """Whether the process has crashed."""
    _call_until_killed = call_until_killed

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _RESERVED:
            misuse(
                f"self.{name} belongs to the replica and cannot be set: keep data that survive a "
                "crash in self.disk, by name, and other data in an attribute of another name"
            )
        object.__setattr__(self, name, value)

    def recover(self, disk: Disk) -> None:
        """Start from the disk, which is empty for a new replica."""
        raise NotImplementedError

    def forget(self) -> None:
        """Release resources outside of this object, when the process crashes.

        By default, nothing is released. An exception here is not a crash, but ends the episode with
        `ScenarioError`.
        """

    def tick(self, now: float) -> None:
        """Let one unit of the replica's clock pass; `now` is the time of this clock in seconds."""
        raise NotImplementedError

    def submit(self, request: int) -> bool:
        """Return whether the replica takes a request of a client, whose number is from 1 on."""
        raise NotImplementedError

    def message(self, sender: int, data: bytes) -> None:
        """React to a message, by the number of its sender and its bytes."""
        raise NotImplementedError

    def state(self) -> State:
        """Return the whole state; for a stopped replica, from the disk."""
        raise NotImplementedError

    @property
    def random(self) -> Draws:
        """Random numbers determined by seed and replica; their number is part of the state."""
        if self._draws is None:
            self.disk.streams += 1
            self._draws = Draws(self.id, self.disk.streams)
        return self._draws

    def send(self, to: int, data: bytes) -> None:
        """Send a message to another replica.

        Args:
            to: Its number.
            data: 1 to 65,507 bytes. Other data, or an invalid `to`, ends the episode.
        """
        if not isinstance(data, bytes):
            misuse(f"send() takes bytes, not {data!r}")
        if not 0 < len(data) <= LONGEST_MESSAGE:
            misuse(f"send() takes 1 to {LONGEST_MESSAGE} bytes, not {len(data)}")
        if to not in self.others or isinstance(to, float):
            misuse(f"send() takes one of replicas {list(self.others)}, not {to!r}")
        if takes_effect():
            self._port.send(to, data)

    def note(self, kind: str, at: int = 0, value: int = 0) -> None:
        """Report an event to `Protocol.check()`, which the state at the end of a tick may not show.

        Args:
            kind: A word for the event, such as "leads".
            at: Place of the event, such as a term or an index.
            value: Value of the event.
        """
        if not isinstance(kind, str):
            misuse(f"note() takes a word first, not {kind!r}")
        if not (_fits(at) and _fits(value)):
            misuse(f"note() takes a word and up to two ints of 64 bits, not {at!r} and {value!r}")
        if takes_effect():
            self._port.note(kind_number(kind), at, value)

    def answer(self, request: int, value: int) -> None:
        """Report the answer to a client, for histories; see `Registers`.

        Args:
            request: Number of the client's request.
            value: The answer: the value of a read, or whether a value was written.
        """
        if not (_fits(request) and 0 < request < 2**32 and _fits(value)):
            misuse(
                "answer() takes the number of a request, from 1 on, and an int of 64 bits, not "
                f"{(request, value)}"
            )
        if takes_effect():
            self._port.answer(request, value)

    @property
    def waits_for_disk(self) -> bool:
        """Whether its code has run ahead of its disk; see the parameter `disk_delay`."""
        return self._slow_disk is not None and self._slow_disk.is_busy

    def _snapshot(self) -> Any:
        """Return the state, with the state outside of the object."""
        state: Any = self.state()
        disk, slow = self.disk, self._slow_disk
        used = disk.streams or self._awake or disk.files.contents or disk.files.drawn
        if not (used or disk.clock or slow):
            return state
        drawn = self._draws.count if self._draws else 0
        hidden: tuple[Any, ...] = (disk.streams, drawn, self._awake, disk.files.digest())
        if disk.clock:
            hidden += disk.clock.digest()
        if slow:
            hidden, state = (*hidden, *slow.digest(), state), slow.show(state)
        return extend(state, hidden)


def extend(state: Any, hidden: Any) -> Any:
    """Return a state with further internals; an invalid one is refused when it is read."""
    if not (isinstance(state, tuple) and len(state) == len(State._fields)):
        return state
    fields, log, internals = state
    return State(fields, log, (internals, hidden))


_RESERVED = {n for n in (*Replica.__annotations__, *vars(Replica)) if n[0] != "_"} | {"_port"}
"""Attributes that only the simulation sets; `vars()` bypasses the check."""
_METHODS = ("__init__", "recover", "forget", "tick", "submit", "message", "state")


class Running:
    """The running replica; None: none runs, and nothing is virtual."""

    process: Replica | None = None


def refuse(what: str) -> NoReturn:
    """End the episode because code of a replica has an effect outside the simulation."""
    process, Running.process = Running.process, None
    misuse(f"the code of replica {process.id if process else 0} {what}")


def refusing(what: str) -> Callable[..., Any]:
    """Return a function that refuses itself, for a class or with the running replica."""
    return lambda _first, *_given, **_more: refuse(what)


def enter_when_called(process: Replica) -> None:
    """Mark the replica as running during the start and the methods of a process."""
    for name in _METHODS:
        vars(process)[name] = _entering(process, getattr(process, name))


def _entering(process: Replica, method: Callable[..., Any]) -> Callable[..., Any]:
    def enter(*arguments: Any) -> Any:
        before, Running.process = Running.process, process
        try:
            return method(*arguments)
        finally:
            Running.process = before

    return enter


def clock(process: Replica) -> float:
    """Return the time of a replica's clock, in seconds: a replica that slept is ahead."""
    rate = process.disk.clock.rate if process.disk.clock else 1.0
    return max(now() * rate, process._awake)


def sleep(process: Replica, seconds: float) -> None:
    """Advance the clock of a replica."""
    process._awake = clock(process) + seconds


def wait_for_disk(seconds: float) -> None:
    """Let the running replica wait for its disk; its clock is ahead until then."""
    process = Running.process
    if process is not None and process._slow_disk is not None:
        process._slow_disk.wait(seconds)
        sleep(process, seconds * (process.disk.clock.rate if process.disk.clock else 1.0))


def tick_by_clock(process: Replica, tick: Callable[[float], None]) -> Callable[[float], None]:
    """Return a method `tick()` that follows the clock of the replica's machine."""

    def follow(_now: float) -> None:
        assert process.disk.clock is not None  # it has been set before
        for _ in range(process.disk.clock.pass_tick()):
            tick(clock(process) + process.disk.clock_error)

    return follow
