# SPDX-License-Identifier: GPL-2.0-only
"""Curves of what agents observe and do: the numbers in values of any space, each by its name."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

MOST = 64
"""Curves of one agent's observations or actions that are kept; pictures have thousands."""


@dataclass(frozen=True)
class Curve:
    """A number that changes.

    Attributes:
        name: Where it stands in the value, such as `position[0]`; empty if it is the value.
        values: Shape (n,), float64; NaN where there is none.
    """

    name: str
    values: NDArray[np.float64]


def curves(column: pa.ChunkedArray | pa.Array) -> tuple[list[Curve], int]:
    """Return the curves of a column, at most `MOST`, and how many there would be.

    Args:
        column: A value a row: numbers, truth values, lists, structs, or texts with JSON.
    """
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    kept: list[Curve] = []
    count = 0
    for count, each in enumerate(_split("", array), 1):  # noqa: B007  (read after the loop)
        if len(kept) < MOST:
            kept.append(each)
    return kept, count


def _split(name: str, array: pa.Array) -> Iterator[Curve]:
    kind = array.type
    if pa.types.is_struct(kind):
        for place in range(kind.num_fields):
            inner = kind.field(place).name
            yield from _split(f"{name}.{inner}" if name else inner, _field(array, place))
    elif pa.types.is_fixed_size_list(kind):
        for place in range(kind.list_size):
            yield from _split(f"{name}[{place}]", _element(array, place))
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        for place in range(_longest(array)):
            yield from _split(f"{name}[{place}]", _element(array, place))
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        yield from _split_texts(name, array)
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        yield Curve(name, _numbers(array))


def _split_texts(name: str, array: pa.Array) -> Iterator[Curve]:
    """Return the curves of values in JSON; none of those that are no such texts."""
    with contextlib.suppress(ValueError, TypeError, pa.ArrowException):
        values = pa.array([_parse(text) for text in array.to_pylist()])
        if not pa.types.is_string(values.type):
            yield from _split(name, values)


def _parse(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def _field(array: pa.StructArray, place: int) -> pa.Array:
    """Return a field of structs, null where the struct is."""
    import pyarrow.compute as pc

    return pc.struct_field(array, [place])


def _element(array: pa.Array, place: int) -> pa.Array:
    """Return the elements at a place of lists, null where a list is shorter or null."""
    offsets = _offsets(array)
    starts, lengths = offsets
    valid = lengths > place
    indices = pa.array(np.where(valid, starts + place, 0), mask=~valid)
    values = array.values
    return values.take(indices) if len(values) else pa.nulls(len(array), values.type)


def _offsets(array: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each list begins among the values, and its length; 0 of those that are null."""
    valid = np.asarray(array.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
    if pa.types.is_fixed_size_list(array.type):
        size = array.type.list_size
        starts = (np.arange(len(array)) + array.offset) * size
        lengths = np.full(len(array), size)
    else:
        bounds = np.asarray(array.offsets, dtype=np.int64)
        starts, lengths = bounds[:-1], np.diff(bounds)
    return starts.astype(np.int64), np.where(valid, lengths, 0).astype(np.int64)


def _longest(array: pa.Array) -> int:
    _, lengths = _offsets(array)
    return int(lengths.max(initial=0))


def _numbers(array: pa.Array) -> NDArray[np.float64]:
    """Return numbers, NaN where there is none."""
    import pyarrow.compute as pc

    floats = pc.cast(array, pa.float64(), safe=False)
    return np.asarray(floats.to_numpy(zero_copy_only=False), dtype=np.float64)
