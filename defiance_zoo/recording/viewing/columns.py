# SPDX-License-Identifier: GPL-2.0-only
"""Columns of numbers in JSON, and curves of the numbers in values of any space."""

from __future__ import annotations

import base64
import contextlib
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
from defiance_zoo.bridge.system.reading import parse_json

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


MOST = 64
"""Maximum curves of one agent's observations or actions; pictures have thousands. The page
shows the first twelve (`assets/strips.js`), and the others on request."""
_MOST_COUNTED = 1000
"""Maximum number of curves to count in values whose lists and texts vary in length."""


@dataclass(frozen=True)
class Curve:
    """The values of one number.

    Attributes:
        name: Its path in the value, such as `position[0]`, or `position.x` if the scenario names
            elements; empty if the value is a number.
    """

    name: str
    values: NDArray[np.float64]


def curves(
    column: pa.ChunkedArray | pa.Array, space: Space | None = None
) -> tuple[list[Curve], int]:
    """Return up to `MOST` curves of a column, and the number of all its curves.

    If lengths of lists and texts differ, at most a thousand parts are counted.

    Args:
        column: A value for each row: numbers, truth values, lists, structs, or texts with JSON.
        space: Space of the values, which may name elements; None without one.
    """
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    found = list(itertools.islice(_split("", array, space), MOST + 1))
    if len(found) <= MOST:
        return found, len(found)
    return found[:MOST], sum(itertools.islice(_widths(array), _MOST_COUNTED))


def _split(name: str, array: pa.Array, space: Space | None) -> Iterator[Curve]:
    if _is_number(array.type):
        yield Curve(name, _numbers(array))
    for inner, part, inner_space in _parts(name, array, space):
        yield from _split(inner, part, inner_space)


def _widths(array: pa.Array) -> Iterator[int]:
    """Yield the number of curves of each part that a type determines."""
    width = _width(array.type)
    if width is not None:
        yield width
        return
    for _, part, _ in _parts("", array, None):
        yield from _widths(part)


def _width(kind: pa.DataType) -> int | None:
    """Return the number of curves of values of a type; None if it varies."""
    if pa.types.is_struct(kind):
        widths = [_width(kind.field(place).type) for place in range(kind.num_fields)]
        known = [each for each in widths if each is not None]
        return sum(known) if len(known) == len(widths) else None
    if pa.types.is_fixed_size_list(kind):
        width = _width(kind.value_type)
        return None if width is None else width * int(kind.list_size)
    return None if _is_list(kind) or _is_text(kind) else int(_is_number(kind))


def _parts(
    name: str, array: pa.Array, space: Space | None
) -> Iterator[tuple[str, pa.Array, Space | None]]:
    """Yield the parts of values, each with its name and space; numbers have none."""
    kind = array.type
    if pa.types.is_struct(kind):
        for place in range(kind.num_fields):
            inner = kind.field(place).name
            yield f"{name}.{inner}" if name else inner, _field(array, place), _member(space, inner)
    elif pa.types.is_fixed_size_list(kind) or _is_list(kind):
        fixed = pa.types.is_fixed_size_list(kind)
        names = element_names(space) if space is not None else ()
        for place in range(kind.list_size if fixed else _longest(array)):
            if place >= len(names):
                named = f"{name}[{place}]"
            else:
                named = f"{name}.{names[place]}" if name else names[place]
            yield named, _element(array, place), None
    elif _is_text(kind):
        values = _parse_all(array)
        if values is not None:
            yield name, values, None


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


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _parse_all(array: pa.Array) -> pa.Array | None:
    """Return the values of JSON texts; None for invalid JSON, and for texts in JSON."""
    with contextlib.suppress(ValueError, TypeError, OverflowError, pa.ArrowException):
        values = pa.array([_parse(text) for text in array.to_pylist()])
        return None if _is_text(values.type) else values
    return None


def _parse(text: str | None) -> Any:
    return None if text is None else parse_json(text)


def _field(array: pa.StructArray, place: int) -> pa.Array:
    """Return a field of structs; null for a null struct."""
    return pc.struct_field(array, [place])


def _element(array: pa.Array, place: int) -> pa.Array:
    """Return the elements at an index of lists; null for shorter and null lists."""
    return pc.list_element(pc.list_slice(array, place, place + 1, return_fixed_size_list=True), 0)


def _longest(array: pa.Array) -> int:
    return int(pc.max(pc.list_value_length(array)).as_py() or 0)


def _numbers(array: pa.Array) -> NDArray[np.float64]:
    """Return numbers; NaN if missing."""
    floats = pc.cast(array, pa.float64(), safe=False)
    return np.asarray(floats.to_numpy(zero_copy_only=False), dtype=np.float64)
