# SPDX-License-Identifier: GPL-2.0-only
"""Capacity traces in Mahimahi's format, made by `generate.py`."""

from __future__ import annotations

from pathlib import Path

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
