# SPDX-License-Identifier: GPL-2.0-only
"""Texts for values and choices."""

from __future__ import annotations

import contextlib
import math
import shlex
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from defiance_zoo.bridge.system.spelling import known_words
from defiance_zoo.errors import ParameterError


def assignments(values: Mapping[str, Any], sign: str = "=") -> str:
    """Return names and values on one line, such as `delay=20ms, rate=1Mbps`."""
    return ", ".join(f"{name}{sign}{value}" for name, value in values.items())


def shell_command(*words: object) -> str:
    """Return a command of the package that a shell can run as it is."""
    return shlex.join(["defiance-zoo", *map(str, words)])


def number(value: float | None, digits: int = 1) -> str:
    """Return a number for a table."""
    return "–" if value is None or not math.isfinite(value) else f"{value:,.{digits}f}"  # noqa: RUF001


def duration(seconds: float | None) -> str:
    """Return a time as hours, minutes and seconds."""
    if seconds is None:
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


UNITS = {
    "bytes_per_s": "bytes/s",
    "per_s": "1/s",
    "Gbps": "Gb/s",
    "Mbps": "Mb/s",
    "mbps": "Mb/s",
    "kbps": "kb/s",
    "bps": "b/s",
    "bytes": "bytes",
    "percent": "%",
    "dbm": "dBm",
    "db": "dB",
    "ms": "ms",
    "us": "µs",
    "ns": "ns",
    "s": "s",
}
"""Units in column names and parameter values, with their symbols.

A unit comes before units that are suffixes of it.
"""


def axis_label(name: str) -> str:
    """Return the heading of a column, such as `Throughput (Mb/s)` for `throughput_mbps`."""
    if name == "return_per_unit":  # of agents, or of what one agent decides for
        return "Mean return"
    for unit, symbol in UNITS.items():
        if name == unit or name.endswith(f"_{unit}"):
            quantity = name.removesuffix(unit).removesuffix("_") or "sent"
            return f"{capitalise(quantity)} ({symbol})"
    return capitalise(name)


def counted(counts: Collection[int], word: str) -> str:
    """Return counts of a thing, such as `1 seed` or `2 to 3 seeds`."""
    least, most = min(counts), max(counts)
    number = f"{most}" if least == most else f"{least} to {most}"
    return f"{number} {word}" if most == 1 else f"{number} {word}s"


def capitalise(name: str) -> str:
    """Return a name as text with a capital letter, such as `Round trip time`."""
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


@contextlib.contextmanager
def locating(where: str) -> Iterator[None]:
    """Begin the message of an error with its place, such as `policies.Random`."""
    try:
        yield
    except ParameterError as error:
        raise ParameterError(f"{where}: {error}") from error


def require_choice(where: str, word: str, known: Collection[str], more: str = "") -> None:
    """Refuse a word that is not among the known ones."""
    if word not in known:
        raise ParameterError(f"{where}={word!r} is not known{known_words(word, known)}{more}")
