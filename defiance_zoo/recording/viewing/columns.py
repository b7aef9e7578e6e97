# SPDX-License-Identifier: GPL-2.0-only
"""Columns of numbers in JSON: base64 of arrays with the smallest lossless type."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Columns = Mapping[str, NDArray[Any]]
"""Columns of a table by name, each of shape (rows,)."""

_TYPES = ("u1", "<i2", "<i4", "<f4", "<f8")
"""Types of browsers' arrays, smallest first; `columns.js` has the same list."""


def encode(values: ArrayLike) -> dict[str, str]:
    """Return a column.

    Args:
        values: Shape (n,): numbers or truth values that 64-bit floats represent exactly.

    Returns:
        `type`, one of u1, i2, i4, f4 and f8, and `base64`, the little-endian array.
    """
    array = np.asarray(values, dtype=np.float64)
    for name in _TYPES:
        with np.errstate(invalid="ignore", over="ignore"):
            small = array.astype(name)
        if np.array_equal(small.astype(np.float64), array, equal_nan=True):
            return _column(small, name)
    return _column(array.astype("<f8"), "<f8")


def _column(array: np.ndarray[Any, np.dtype[Any]], name: str) -> dict[str, str]:
    return {"type": name.lstrip("<"), "base64": base64.b64encode(array.tobytes()).decode()}
