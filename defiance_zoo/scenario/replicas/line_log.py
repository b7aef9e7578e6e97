# SPDX-License-Identifier: GPL-2.0-only
"""A log of the lines that replicas run, to find the first line that does not repeat."""

from __future__ import annotations

import functools
import itertools
import os
import sys
import sysconfig
import zlib
from collections.abc import Callable
from types import FrameType
from typing import Any

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
            setattr(process, name, self._logging(getattr(process, name)))

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
