# SPDX-License-Identifier: GPL-2.0-only
"""Columns of numbers in JSON, and curves of the numbers in values of any space."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from defiance_zoo.bridge.codec import Space, element_names

Columns = Mapping[str, NDArray[Any]]
"""Columns of a table by name, each of shape (rows,)."""

_TYPES = ("u1", "<i2", "<i4", "<f4", "<f8")
"""Types of browsers' arrays, smallest first; `columns.js` has the same list."""


def encode(values: ArrayLike) -> dict[str, str]:
    """Return numbers or truth values, shape (n,), that 64-bit floats represent exactly.

    The result has a `type`, one of u1, i2, i4, f4 and f8, and `base64`, the little-endian array.
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


MOST = 64
"""Maximum curves of one agent's observations or actions; pictures have thousands. The page
shows the first twelve (`assets/strips.js`), and the others on request."""


@dataclass(frozen=True)
class Curve:
    """The values of one number.

    Attributes:
        name: Its path in the value, such as `position[0]`, or `position.x` if the scenario names
            elements; empty if the value is a number.
    """

    name: str
    values: NDArray[np.float64]


def curves(column: pa.ChunkedArray | pa.Array, space: Space | None) -> tuple[list[Curve], int]:
    """Return up to `MOST` curves of a column of `column_type()`, and the number of all of them."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return list(itertools.islice(_split("", array, space), MOST)), _count(array.type)


def _count(kind: pa.DataType) -> int:
    if pa.types.is_struct(kind):
        return sum(_count(kind.field(place).type) for place in range(kind.num_fields))
    return int(kind.list_size) if pa.types.is_fixed_size_list(kind) else int(_is_number(kind))


def _split(name: str, array: pa.Array, space: Space | None) -> Iterator[Curve]:
    kind = array.type
    if _is_number(kind):
        yield Curve(name, _numbers(array))
    elif pa.types.is_struct(kind):
        for place in range(kind.num_fields):
            inner = kind.field(place).name
            part = pc.struct_field(array, [place])  # null for a null struct
            yield from _split(f"{name}.{inner}" if name else inner, part, _member(space, inner))
    elif pa.types.is_fixed_size_list(kind):
        names = element_names(space) if space is not None else ()
        for place in range(kind.list_size):
            if place >= len(names):
                named = f"{name}[{place}]"
            else:
                named = f"{name}.{names[place]}" if name else names[place]
            yield Curve(named, _numbers(pc.list_element(array, place)))


def _member(space: Space | None, name: str) -> Space | None:
    """Return the space of a member of a Dict or a Tuple; None for other spaces."""
    if isinstance(space, spaces.Dict):
        return space.spaces.get(name)
    if isinstance(space, spaces.Tuple) and name.isdigit() and int(name) < len(space.spaces):
        return space.spaces[int(name)]
    return None


def _is_number(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


def _numbers(array: pa.Array) -> NDArray[np.float64]:
    """Return numbers; NaN if missing."""
    floats = pc.cast(array, pa.float64(), safe=False)
    return np.asarray(floats.to_numpy(zero_copy_only=False), dtype=np.float64)
