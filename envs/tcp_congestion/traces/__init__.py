# SPDX-License-Identifier: GPL-2.0-only
"""Capacity traces in Mahimahi's format, made by `generate.py` or converted from others."""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.bridge.system.capacity_traces import read_capacity_trace
from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.errors import ParameterError

_FOLDER = Path(__file__).resolve().parent


def names() -> list[str]:
    """Return the names of the shipped traces."""
    return sorted(path.stem for path in _FOLDER.glob("*.trace"))


def path(name: str) -> str:
    """Return the path of a shipped trace, for `capacity_trace`.

    Raises:
        ParameterError: There is no trace of this name.
    """
    if name not in names():
        raise ParameterError(f"no trace {name!r}; the traces are {names()}")
    return str(_FOLDER / f"{name}.trace")


def convert(source: Path | str, target: Path | str) -> str:
    """Write a trace with two columns, as Pensieve's, in Mahimahi's format.

    Args:
        source: A file with a time in s and a capacity in Mb/s in each line, or in Mahimahi's
            format.
        target: The file to write.

    Returns:
        The path of the written file, for `capacity_trace`.

    Raises:
        ParameterError: The source cannot be read, or has another format.
    """
    try:
        times = read_capacity_trace(source)
    except (OSError, ValueError) as error:
        raise ParameterError(f"{source}: {error}") from error
    write_whole(Path(target), "".join(f"{time}\n" for time in times))
    return str(target)
