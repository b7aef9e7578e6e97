# SPDX-License-Identifier: GPL-2.0-only
"""Checks of the classes of a protocol, before anything starts."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any

from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.scenario.replicas.protocol import Field, Protocol
from defiance_zoo.scenario.replicas.replica import Replica
from defiance_zoo.scenario.wiring import require_parameters

_REPLICA, _REPLICA_OPTIONS = ("recover", "tick", "submit", "message", "state"), ("forget",)
_ASYNC_REPLICA, _ASYNC_REPLICA_OPTIONS = ("main", "state"), ("request", *_REPLICA, "forget")
_PROTOCOL = ("takers", "check")
_PROTOCOL_OPTIONS = ("healed", "healing_ticks", "progress", "done", "describe")
_YIELDING = ("takers", "check", "healed")
_AWAITED = ("main", "request")
_PROTOCOL_ATTRIBUTES = (
    "painter",
    "bugs",
    "traffic",
    "answers_clients",
    "tolerates_byzantine",
    "rotates",
)
_COMMON = ("id", "active", "byzantine", "delayed", "clock_error_ns", "log")
"""Attributes that states of all protocols have."""

_BOUNDS = {"number": 1000, "log": 32}
"""The maximum bounds that painters accept."""

_PACKAGE = __name__.rpartition(".")[0]

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_KINDS = ("number", "choice", "replica")

_MISSPELLED = 0.75
"""Minimum similarity, by difflib, of a misspelt name and the intended one."""


def check_protocol(protocol: Any) -> None:
    """Refuse a protocol that testers cannot test."""
    if not (isinstance(protocol, type) and issubclass(protocol, Protocol)):
        raise TypeError(f"{protocol!r} is not a subclass of Protocol")
    _check_methods(protocol, Protocol, _PROTOCOL, _PROTOCOL_OPTIONS)
    _refuse_misspelled(protocol, Protocol, (*_PROTOCOL_OPTIONS, *_PROTOCOL_ATTRIBUTES))
    replica = getattr(protocol, "replica", None)
    if not (isinstance(replica, type) and issubclass(replica, Replica)):
        raise TypeError(
            f"{protocol.__name__}.replica is {replica!r}: name the class of its replicas, a "
            f"subclass of Replica\n{_locate(protocol)}"
        )
    base = next(each for each in replica.__mro__ if each.__module__.startswith(_PACKAGE))
    if base is Replica:
        _check_methods(replica, Replica, _REPLICA, _REPLICA_OPTIONS)
        _refuse_misspelled(replica, Replica, _REPLICA_OPTIONS)
    else:
        _check_methods(replica, base, _ASYNC_REPLICA, _ASYNC_REPLICA_OPTIONS)
        _refuse_misspelled(replica, base, ("request", "crash_on_errors", *_REPLICA_OPTIONS))
    require_parameters(replica.__init__, "a start", "self")
    _check_fields(protocol)
    _check_painter(protocol)
    _check_traffic(protocol)


def _refuse_misspelled(kind: type[Any], base: type[Any], options: Iterable[str]) -> None:
    """Refuse an unused name that resembles a missing optional name."""
    import difflib  # needed by few protocols, and slow to import

    missing = [name for name in options if getattr(kind, name) is getattr(base, name)]
    own = kind.__mro__[: kind.__mro__.index(base)]
    for owner, name in [(each, name) for each in own for name in vars(each)]:
        if name.startswith("_") or hasattr(base, name):
            continue
        near = difflib.get_close_matches(name, missing, 1, _MISSPELLED)
        if near and not _is_used(name, owner):
            value = vars(owner)[name]
            where = _locate(value if isinstance(value, FunctionType) else owner)
            raise TypeError(
                f"{owner.__name__}.{name} is used nowhere: did you mean {near[0]}? If the name is "
                f"intended, choose another one\n{where}"
            )


def _is_used(name: str, kind: type[Any]) -> bool:
    """Return whether the file of a class uses a name after a dot, or cannot be read."""
    import linecache  # needed only for mistakes

    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    lines = linecache.getlines(file or "")
    return not lines or any(re.search(rf"\.{name}\b", line) for line in lines)


def _check_methods(
    kind: type[Any],
    base: type[Any],
    needed: Sequence[str],
    options: Sequence[str],
) -> None:
    """Refuse a class that lacks a method, or whose methods take other parameters than its base."""
    for name in dict.fromkeys((*needed, *options)):
        method, code = getattr(kind, name), getattr(base, name).__code__
        parameters = code.co_varnames[: code.co_argcount]
        if name in needed and method is getattr(base, name):
            near = near_word(name, [each for each in vars(kind) if each not in needed])
            written = f"{'async ' * (name in _AWAITED)}{name}({', '.join(parameters)})"
            raise TypeError(
                f"{kind.__name__} has no {name}(): define {written}{near}\n{_locate(kind)}"
            )
        yields, awaits = name in _YIELDING, name in _AWAITED and base is not Protocol
        require_parameters(method, "a test", *parameters, yields=yields, awaits=awaits)


def _check_fields(protocol: type[Protocol]) -> None:
    fields: Any = getattr(protocol, "fields", None)
    where = f"{protocol.__name__}.fields"
    if not isinstance(fields, list | tuple) or not fields:
        raise TypeError(
            f'{where} is {fields!r}: give a list such as [number("term")]\n{_locate(protocol)}'
        )
    for each in fields:
        if not isinstance(each, Field) or each.kind not in _KINDS or not _NAME.fullmatch(each.name):
            raise TypeError(
                f'{where} has {each!r}: give number("term"), choice("leads", 1) or '
                f'replica_number("leader"), with a name in lower_snake_case\n{_locate(protocol)}'
            )
    names = [each.name for each in fields]
    for name in names:
        if name in _COMMON or names.count(name) > 1:
            raise ValueError(f"{where} has {name!r} twice: states have it\n{_locate(protocol)}")
    if protocol.healed is not Protocol.healed and "commit" not in names:
        raise ValueError(
            f"{protocol.__name__}.healed() is called when a healing phase ends, which needs the "
            f'number of committed entries of each log: {where} lacks number("commit")\n'
            f"{_locate(protocol.healed)}"
        )


def _check_painter(protocol: type[Protocol]) -> None:
    kinds = {each.name: each.kind for each in protocol.fields}
    for part in protocol.painter.split(",") if protocol.painter else ():
        name, colon, bound = part.partition(":")
        if name not in (*kinds, "id", "log"):
            raise ValueError(
                f"{protocol.__name__}.painter has {name!r}, which is not one of the fields "
                f"{[*kinds]}{near_word(name, kinds)}\n{_locate(protocol)}"
            )
        largest = _BOUNDS.get(kinds.get(name, name), 0)
        needed = name == "log"
        if (colon or needed) and not (bound.isdecimal() and 1 <= int(bound) <= largest):
            right = f"a bound from 1 to {largest}" if largest else "no bound"
            raise ValueError(
                f"{protocol.__name__}.painter has {part!r}: {name} takes {right}\n"
                f"{_locate(protocol)}"
            )


def _check_traffic(protocol: type[Protocol]) -> None:
    traffic: Sequence[Any] = protocol.traffic
    if len(traffic) != 2 or not all(isinstance(each, int) and each > 0 for each in traffic):
        raise ValueError(
            f"{protocol.__name__}.traffic is {traffic!r}: give bytes of the longest message, and "
            f"messages in a tick\n{_locate(protocol)}"
        )


def _locate(kind: type[Any] | Callable[..., Any]) -> str:
    """Return the line of a class or a function, as in a traceback."""
    import inspect  # slow to import, and needed only for mistakes

    try:
        line = inspect.getsourcelines(kind)[1]
        return f'  File "{inspect.getsourcefile(kind)}", line {line}, in {kind.__name__}'
    except (OSError, TypeError):
        return f"  In {kind.__module__}.{kind.__qualname__}"
