# SPDX-License-Identifier: GPL-2.0-only
"""Tensors and infos of messages, and the limits of their sizes.

A tensor is an array: its bytes, its element type and its shape. Limits are checked before memory is
allocated.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.errors import MalformedMessage

MAX_MESSAGE_BYTES = 2**31 - 1
"""Maximum length of a message, set by protobuf. In C++, `step-link.h` defines it."""

MAX_VALUE_BYTES = 2**28
"""Maximum size of a space's value: 256 MiB, as an environment makes several arrays of this size."""

MAX_AXES = 31
"""Maximum axes of an array: every NumPy has one more, for the rows of a stack."""

MAX_DEPTH = 30
"""Maximum depth of nested spaces: protobuf supports 100 levels, and each dict takes three."""


def require_shape(shape: Sequence[int], itemsize: int) -> int:
    """Return the number of bytes of an array."""
    if len(shape) > MAX_AXES:
        raise MalformedMessage(f"an array of {len(shape)} axes; at most {MAX_AXES} are allowed")
    size = math.prod(shape) * itemsize
    # An empty array is bounded as well: NumPy computes with the other lengths.
    require_size(size or math.prod(max(length, 1) for length in shape) * itemsize)
    return size


def require_size(size: int) -> None:
    """Refuse a value that is larger than allowed."""
    if size > MAX_VALUE_BYTES:
        raise MalformedMessage(
            f"values of {size} bytes; a space may have at most {MAX_VALUE_BYTES}"
        )


def require_integers(first: Any, count: Any) -> None:
    """Refuse ranges of integers that are empty or do not fit 64 bits.

    Both are int64 numbers, or arrays of them.
    """
    if not np.all(np.asarray(count) >= 1):
        raise MalformedMessage(f"{count} integers; at least one is required")
    if np.any(first > np.iinfo(np.int64).max - (count - 1)):
        raise MalformedMessage(f"{count} integers from {first} on do not fit 64 bits")


if sys.byteorder != "little":
    raise ImportError("defiance_zoo needs a little-endian machine, like its wire format")

_DTYPES: dict[int, np.dtype[Any]] = {
    pb.DTYPE_FLOAT32: np.dtype(np.float32),
    pb.DTYPE_FLOAT64: np.dtype(np.float64),
    pb.DTYPE_INT8: np.dtype(np.int8),
    pb.DTYPE_INT16: np.dtype(np.int16),
    pb.DTYPE_INT32: np.dtype(np.int32),
    pb.DTYPE_INT64: np.dtype(np.int64),
    pb.DTYPE_UINT8: np.dtype(np.uint8),
    pb.DTYPE_UINT16: np.dtype(np.uint16),
    pb.DTYPE_UINT32: np.dtype(np.uint32),
    pb.DTYPE_UINT64: np.dtype(np.uint64),
}
_NUMBERS = {dtype: number for number, dtype in _DTYPES.items()}


def dtype_from_wire(number: int) -> np.dtype[Any]:
    """Return NumPy's element type for a wire `DType`."""
    try:
        return _DTYPES[number]
    except KeyError:
        raise MalformedMessage(f"the protocol has no element type {number}") from None


def dtype_to_wire(dtype: np.dtype[Any]) -> pb.DType:
    """Return the wire `DType` of a NumPy element type."""
    try:
        return _NUMBERS[dtype]  # type: ignore[return-value] # enum values are plain ints at run time
    except KeyError:
        raise TypeError(f"{dtype} cannot be sent; the protocol has {list(_NUMBERS)}") from None


def array_from_bytes(data: bytes, dtype: np.dtype[Any], shape: Sequence[int]) -> NDArray[Any]:
    """Return a read-only view of `data`, without a copy."""
    require_length(data, dtype, shape)
    array: NDArray[Any] = np.ndarray(shape, dtype, data)
    return array


def require_length(data: bytes, dtype: np.dtype[Any], shape: Sequence[int]) -> None:
    """Refuse bytes that do not fit an element type and a shape."""
    needed = math.prod(shape) * dtype.itemsize
    if len(data) != needed:
        raise MalformedMessage(
            f"{len(data)} bytes for a tensor of {dtype} with shape {tuple(shape)}, "
            f"which needs {needed}"
        )


def decode_tensor(tensor: pb.Tensor) -> NDArray[Any]:
    """Return a read-only view of a tensor, with its element type and shape."""
    dtype, shape = dtype_from_wire(tensor.dtype), tuple(tensor.shape)
    require_shape(shape, dtype.itemsize)
    return array_from_bytes(tensor.data, dtype, shape)


def name_of(number: int) -> str:
    """Return the protocol's name of a wire `DType`; its number if it has no name."""
    return pb.DType.Name(number) if number in pb.DType.values() else f"{number}"


def encode_tensor(array: NDArray[Any]) -> pb.Tensor:
    """Return an array as a tensor, in C order."""
    return pb.Tensor(dtype=dtype_to_wire(array.dtype), shape=array.shape, data=array.tobytes())


def decode_infos(entries: Iterable[pb.InfoEntry]) -> dict[str, Any]:
    """Return infos as floats, ints, strings and read-only arrays."""
    infos: dict[str, Any] = {}
    for entry in entries:
        key, kind = entry.key, entry.WhichOneof("value")
        if kind is None:
            raise MalformedMessage(f"info {key!r} has no value")
        if key in infos:
            raise MalformedMessage(f"info {key!r} is sent twice")
        value = getattr(entry, kind)
        infos[key] = decode_tensor(value) if kind == "tensor" else value
    return infos
