# SPDX-License-Identifier: GPL-2.0-only
"""The facts and functions of a protocol in Python that the simulation reads, by name."""

from __future__ import annotations

import functools
import gc
import itertools
import os
import sys
import sysconfig
import zlib
from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from types import FrameType
from typing import Any, NoReturn

from defiance_zoo.bridge.system.spelling import known_words
from defiance_zoo.scenario.replicas.files import FAULTS, DiskFaults
from defiance_zoo.scenario.replicas.machine import Clock, SlowDisk
from defiance_zoo.scenario.replicas.protocol import Group, Protocol
from defiance_zoo.scenario.replicas.replica import (
    Disk,
    Draws,
    Entry,
    Replica,
    enter_when_called,
    read_events,
    tick_by_clock,
    wait_for_disk,
)
from defiance_zoo.scenario.replicas.stage import describe_crash, misuse, one_line
from defiance_zoo.scenario.replicas.virtual_library import is_patched
from defiance_zoo.scenario.simulation import Parameters

VARIABLE = "DEFIANCE_REPLICA_LINES"
"""The environment variable with the path of the log; without it or empty, nothing is logged."""

_PACKAGE = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120 (fast to import)
_SKIPPED = (_PACKAGE, sysconfig.get_path("stdlib"), "<")
_LIBRARIES = ("site-packages", "dist-packages")
_METHODS = ("recover", "tick", "submit", "message", "state")
_SCALARS = (int, float, str, bytes, bool, type(None))
_LONGEST, _DEEPEST = 100, 3


class LineLog:
    """A file with a row for each line, call and result: its place, and a checksum of values.

    The values are variables and attributes of `self` that are numbers, texts, bytes, or containers
    of these, in their order.
    """

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self._rows: list[str] = []

    def follow(self, process: Any) -> None:
        """Log the methods of a process."""
        for name in _METHODS:
            vars(process)[name] = self._logging(getattr(process, name))

    def _logging(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            if sys.gettrace() is not None:  # the last call of a process that is killed
                return method(*arguments)
            sys.settrace(self._trace)
            try:
                return method(*arguments)
            finally:
                sys.settrace(None)
                os.write(self._file, "".join(self._rows).encode())
                self._rows.clear()

        return call

    def _trace(self, frame: FrameType, event: str, result: Any) -> Any:
        path = frame.f_code.co_filename
        if path.startswith(_SKIPPED) and not any(each in path for each in _LIBRARIES):
            return None
        known = frame.f_locals
        values = [_plain(each) for each in known.values()]
        values.append(_plain(getattr(known.get("self"), "__dict__", None)))
        values.append(_plain(result) if event == "return" else event)
        self._rows.append(f"{path}:{frame.f_lineno} {zlib.crc32(repr(values).encode())}\n")
        return self._trace


def _plain(value: Any, depth: int = 0) -> Any:
    """Return the part of a value that does not depend on addresses."""
    if type(value) in _SCALARS:
        return value
    if depth == _DEEPEST:
        return ...
    if isinstance(value, dict):
        value = [each for pair in itertools.islice(value.items(), _LONGEST) for each in pair]
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each, depth + 1) for each in itertools.islice(value, _LONGEST)]
    return ...


@functools.cache
def _log(path: str) -> LineLog:
    return LineLog(path)


def log_lines(process: Any) -> None:
    """Log the lines of a process, if the environment variable names a file."""
    path = os.environ.get(VARIABLE)
    if path:
        _log(path).follow(process)


_COLLECTED = 200
"""Ticks between two collections of garbage, at which `__del__()` of objects in cycles runs."""

_KINDS = {"number": 0, "choice": 1, "replica": 2}


class Binding:
    """A protocol as the simulation sees it."""

    make_disk = Disk
    make_entry = Entry
    describe_crash = staticmethod(describe_crash)

    def __init__(self, name: str, protocol: type[Protocol]) -> None:
        self.name = name
        self.p = Parameters({})
        self.protocol = protocol
        self._made: Protocol | None = None
        self._reported: set[str] = set()
        self._ticks = 0
        self.make_view = _make_view([each.name for each in protocol.fields])

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the protocol's class, such as `bugs`."""
        return getattr(self.protocol, name)

    @property
    def painter(self) -> str:
        """The part of a replica's state that testers observe."""
        return self.protocol.painter or ",".join(each.name for each in self.protocol.fields)

    @property
    def fields(self) -> list[tuple[str, int, int]]:
        """Name, kind and maximum of each field."""
        return [(each.name, _KINDS[each.kind], each.largest) for each in self.protocol.fields]

    @property
    def bugs(self) -> list[str]:
        """Names of seeded bugs."""
        return list(self.protocol.bugs)

    def _protocol(self) -> Protocol:
        """Return the protocol of this episode."""
        if self._made is None:
            self._made = self.protocol()
            self._made.p = self.p
        return self._made

    def make_process(
        self, port: Any, id: int, size: int, bug: str, byzantine: bool, disk: Disk
    ) -> Replica:
        """Return a process that is not started."""
        kind = self.protocol.replica
        process = kind.__new__(kind)
        others = tuple(each for each in range(1, size + 1) if each != id)
        vars(process).update(id=id, size=size, others=others, disk=disk, bug=bug)
        vars(process).update(byzantine=byzantine, p=self.p, _port=port)
        self._inject_faults(process)
        process.__init__()  # type: ignore[misc] # a process begins when it is set up
        return process

    def _inject_faults(self, process: Replica) -> None:
        """Set the faults of a process and its machine, and of the disk if it is new."""
        values, disk = _numbers(vars(self.p)), process.disk
        if is_patched():
            if disk.files.faults.draw is float:
                given = {n.removeprefix("disk_"): values[n] for n in FAULTS if n in values}
                draw = Draws(process.id, 0).random
                disk.files.faults = DiskFaults(draw, wait=wait_for_disk, **given)
            enter_when_called(process)
        log_lines(process)
        if disk.files.faults.delay:
            process._slow_disk = SlowDisk(process)
        drift, jump = values.get("clock_drift", 0.0), values.get("clock_jump", 0.0)
        if drift or jump:
            disk.clock = disk.clock or Clock(Draws(process.id, -1), drift, jump)
            vars(process)["tick"] = tick_by_clock(process, process.tick)

    def end_process(self, process: Replica) -> None:
        """End a process: it writes nothing any more, and its disk loses what it has not synced."""
        process._is_over = True
        if process._slow_disk is not None:
            process._slow_disk.crash()
        process.disk.files.crash()
        process.forget()

    def make_group(self, states: tuple[Any, ...], events: list[Any], requests: int) -> Group:
        """Return all replicas after a tick."""
        return Group(states, read_events(events), requests)

    def describe_message(self, data: bytes) -> str:
        """Return a line about a message."""
        return one_line(self._protocol().describe(data))

    def find_takers(self, states: tuple[Any, ...]) -> list[int]:
        """Return the numbers of the replicas that take a request."""
        found: list[Any] = list(self._require_many("takers", self._protocol().takers(states)))
        for each in found:
            if not isinstance(each, int) or not 1 <= each <= len(states):
                self._refuse("takers", f"{each!r}, not the number of a replica")
        return found

    def find_violations(self, group: Group) -> list[str]:
        """Return new violations after a tick, as lines."""
        self._ticks += 1
        if self._ticks % _COLLECTED == 0:
            gc.collect()
        return self._new_lines("check", self._protocol().check(group))

    def find_unhealed(self, group: Group) -> list[str]:
        """Return the new violations that a healing phase leaves."""
        return self._new_lines("healed", self._protocol().healed(group))

    @property
    def get_healing_ticks(self) -> Callable[[Group], int] | None:
        """The method that returns the ticks for progress in healing; None without one."""
        return self._optional("healing_ticks", "a positive int", lambda n: 0 < n < 2**32)

    def _new_lines(self, method: str, found: Any) -> list[str]:
        """Return the new violations among those that a method returned, as lines."""
        lines = []
        for each in self._require_many(method, () if found is None else found):
            if not (isinstance(each, tuple) and len(each) == 2):
                self._refuse(method, f"{each!r}, not a pair of a property and a text")
            name, text = each
            if not (isinstance(name, str) and name.isidentifier()):
                self._refuse(method, f"{name!r} for a property, which is one word")
            line = f"{name}: {one_line(text)}"
            if line not in self._reported:
                self._reported.add(line)
                lines.append(line)
        return lines

    @property
    def get_progress(self) -> Callable[[Group], int] | None:
        """The method that returns the progress of the replicas; None without one."""
        return self._optional("progress", "an int of 64 bits", lambda n: abs(n) < 2**63)

    @property
    def is_done(self) -> Callable[[Group], bool] | None:
        """Return whether no work is left."""
        return self._optional("done", "a bool", lambda each: isinstance(each, bool))

    def _optional(
        self, name: str, what: str, fits: Callable[[Any], bool]
    ) -> Callable[..., Any] | None:
        """Return a function that calls a method that the protocol overrides; None without one."""
        if getattr(self.protocol, name) is getattr(Protocol, name):
            return None

        def call(group: Group) -> Any:
            found = getattr(self._protocol(), name)(group)
            if not (isinstance(found, int) and fits(found)):
                self._refuse(name, f"{found!r}, not {what}")
            return found

        return call

    def _require_many(self, method: str, found: object) -> Iterable[Any]:
        if not isinstance(found, Iterable):
            self._refuse(method, f"{found!r}: return a list, or yield")
        return found

    def _refuse(self, method: str, fault: str) -> NoReturn:
        code = getattr(self.protocol, method).__code__
        misuse(
            f'  File "{code.co_filename}", line {code.co_firstlineno}, in {method}\n'
            f"{method}() returns {fault}"
        )


def _numbers(values: dict[str, Any]) -> dict[str, Any]:
    """Return values of parameters, with times in seconds."""
    return {name: getattr(each, "seconds", each) for name, each in values.items()}


def _make_view(fields: Sequence[str]) -> Callable[[Sequence[Any]], Any]:
    """Return the function that makes the view of a replica's state, with these fields."""
    names = ["id", "active", "byzantine", "log", *fields]
    make: Any = namedtuple

    def refuse(_self: Any, name: str) -> Any:
        raise AttributeError(f"no field {name!r}{known_words(name, names)}")

    view = type("View", (make("View", names),), {"__slots__": (), "__getattr__": refuse})
    made: Callable[[Sequence[Any]], Any] = view._make  # type: ignore[attr-defined]
    return made
