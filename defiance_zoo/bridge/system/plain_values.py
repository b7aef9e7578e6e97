# SPDX-License-Identifier: GPL-2.0-only
"""Conversion of NumPy's values to Python's and to JSON's, and checks of whole numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from typing import Any

import numpy as np

from defiance_zoo.errors import ParameterError


def plain_value(value: Any) -> Any:
    """Return a value with Python's numbers and texts in place of NumPy's.

    NumPy's scalars and arrays without dimensions become `bool`, `int`, `float` or `str`, as do
    members of enumerations of numbers or texts. Other arrays become lists, also inside lists,
    tuples and mappings, which are copied: later changes of the given value do not change the
    result. Other values are unchanged.
    """
    if isinstance(value, np.generic | np.ndarray):
        plain = value.tolist()
        if isinstance(plain, np.longdouble):  # has no counterpart in Python
            return float(plain)
        return plain_value(plain) if isinstance(plain, list) else plain
    if isinstance(value, Enum) and isinstance(value, int | float | str):
        return value.value
    if isinstance(value, Mapping):
        return {plain_value(name): plain_value(each) for name, each in value.items()}
    if isinstance(value, list):
        return [plain_value(each) for each in value]
    return tuple(map(plain_value, value)) if type(value) is tuple else value


_PLAIN = frozenset((str, int, bool, type(None)))


def to_plain(value: Any) -> Any:
    """Return a value in the form that it has after writing and reading JSON.

    Arrays and tuples become lists, and numbers that are not finite become None.
    """
    if type(value) in _PLAIN:  # true for most infos
        return value
    if isinstance(value, np.ndarray | np.generic):
        plain = value.tolist()
        return plain if value.dtype.kind in "biu" else to_plain(plain)
    if isinstance(value, Mapping):
        return {str(key): to_plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def require_flag(name: str, value: Any) -> None:
    """Refuse a value that is not a bool: texts such as "no" would count as true."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name}={value!r} is not a bool")


def require_type(name: str, value: Any, kind: type[Any], *, optional: bool = False) -> None:
    """Refuse a value of another type, except for None if it is optional."""
    if not isinstance(value, kind) and not (optional and value is None):
        given = type(value).__name__
        raise ParameterError(f"{name}={value!r} is of type {given}: give {kind.__name__}")


def whole_number(name: str, value: Any, least: int = 1) -> int:
    """Return a whole number as an `int`."""
    plain = plain_value(value)
    if type(plain) is int and plain >= least:
        return plain
    if least > 0:
        raise ParameterError(f"{name}={value!r} is not a positive integer")
    what = "is negative" if type(plain) is int else "is not an integer"
    raise ParameterError(f"{name}={value!r} {what}")


def plain_seed(seed: Any) -> int | None:
    """Return a seed of `reset()`."""
    return None if seed is None else whole_number("seed", seed, 0)
