# SPDX-License-Identifier: GPL-2.0-only
"""Conversion of values of spaces to columns of Arrow, and back.

| space | column |
|---|---|
| Box, MultiDiscrete, MultiBinary | lists of fixed size, in C order; numbers for shape () |
| Discrete | int64 |
| Text | texts |
| Dict, Tuple | structs; members of a tuple are called 0, 1, …; true without members |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from gymnasium import spaces
from numpy.typing import NDArray

from defiance_zoo.bridge.codec import Space
from defiance_zoo.errors import InvalidRecording


def column_type(space: Space) -> Any:
    """Return Arrow's type of the values of a space."""
    members = _members(space)
    if members is not None:
        if not members:
            return pa.bool_()
        return pa.struct([pa.field(name, column_type(each)) for name, _, each in members])
    if isinstance(space, spaces.Text):
        return pa.string()
    number = pa.from_numpy_dtype(_dtype(space))
    size = _size(space)
    return number if space.shape == () else pa.list_(number, size) if size else pa.list_(number)


def to_column(space: Space, values: Sequence[Any]) -> Any:
    """Return values as an Arrow array; None stands for a missing value."""
    missing = np.fromiter((value is None for value in values), np.bool_, len(values))
    if not missing.any():
        return _to_column(space, values, None)
    blank = _blank(space)
    return _to_column(space, [blank if value is None else value for value in values], missing)


def to_stack(space: Space, column: Any) -> Any:
    """Return the values of a column without those that are null, in Gymnasium's batched form.

    The batched form is an array with one more axis in front, a tuple or dict of batches, or a tuple
    of texts.
    """
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return _to_stack(space, array.drop_null())


def to_values(space: Space, column: Any) -> list[Any]:
    """Return the values of a column, with None for null."""
    dense = iter(_rows(space, to_stack(space, column), len(column) - column.null_count))
    return [next(dense) if there else None for there in column.is_valid().to_pylist()]


# ---------------------------------------------------------------------------- inside


def _members(space: Space) -> list[tuple[str, Any, Space]] | None:
    """Return name, key and space of the members of a Dict or a Tuple; None for other spaces."""
    if isinstance(space, spaces.Dict):
        return [(key, key, each) for key, each in space.spaces.items()]
    if isinstance(space, spaces.Tuple):
        return [(str(number), number, each) for number, each in enumerate(space.spaces)]
    return None


def _dtype(space: Space) -> np.dtype[Any]:
    return np.dtype(np.int64 if isinstance(space, spaces.Discrete) else space.dtype)


def _size(space: Space) -> int:
    return int(np.prod(space.shape or (), dtype=np.int64))


def _blank(space: Space) -> Any:
    """Return the placeholder of a missing value."""
    members = _members(space)
    if members is not None:
        return {key: _blank(each) for _, key, each in members}
    return "" if isinstance(space, spaces.Text) else np.zeros(space.shape or (), _dtype(space))


def _to_column(space: Space, values: Sequence[Any], missing: NDArray[np.bool_] | None) -> Any:
    members, mask = _members(space), None if missing is None else pa.array(missing)
    if members is not None:
        if not members:
            return pa.array(np.ones(len(values), np.bool_), mask=missing)
        columns = [_to_column(each, [v[key] for v in values], None) for _, key, each in members]
        names = [name for name, _, _ in members]
        return pa.StructArray.from_arrays(columns, names=names, mask=mask)
    if isinstance(space, spaces.Text):
        texts = np.array([*values, None], object)[:-1]  # an array of objects
        return pa.array(texts, pa.string(), mask=missing)
    stack = _stack(space, values)
    if space.shape == ():
        return pa.array(stack, mask=missing)
    if not _size(space):
        gone = missing if missing is not None else np.zeros(len(values), np.bool_)
        return pa.array([None if each else [] for each in gone], column_type(space))
    return pa.FixedSizeListArray.from_arrays(pa.array(stack), _size(space), mask=mask)


def _stack(space: Space, values: Sequence[Any]) -> NDArray[Any]:
    """Return the elements of all values, one after the other."""
    dtype = _dtype(space)
    if space.shape == ():
        return np.array(values, dtype)
    arrays = [each if isinstance(each, np.ndarray) else np.asarray(each, dtype) for each in values]
    if len(space.shape or ()) > 1:
        arrays = [each.reshape(-1) for each in arrays]
    joined = np.concatenate(arrays) if arrays else np.zeros(0, dtype)
    return joined.astype(dtype, copy=False)


def _to_stack(space: Space, array: Any) -> Any:
    members = _members(space)
    if members is not None:
        if not members:
            return {} if isinstance(space, spaces.Dict) else ()
        stacks = {key: _to_stack(each, array.field(n)) for n, (_, key, each) in enumerate(members)}
        return stacks if isinstance(space, spaces.Dict) else tuple(stacks.values())
    if isinstance(space, spaces.Text):
        return tuple(array.to_pylist())
    flat = array if space.shape == () else array.flatten()
    if flat.null_count:  # NumPy would convert integers to floats, and missing elements to NaN
        raise InvalidRecording("a value has elements that are missing")
    numbers = flat.to_numpy(zero_copy_only=False).astype(_dtype(space), copy=False)
    return numbers.reshape((len(array), *(space.shape or ())))


def _rows(space: Space, stack: Any, rows: int) -> list[Any]:
    """Return the rows of a stack."""
    members = _members(space)
    if members is None:
        return list(stack)
    parts = {key: _rows(each, stack[key], rows) for _, key, each in members}
    made = [{key: part[row] for key, part in parts.items()} for row in range(rows)]
    return made if isinstance(space, spaces.Dict) else [tuple(each.values()) for each in made]
