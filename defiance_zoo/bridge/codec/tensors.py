# SPDX-License-Identifier: GPL-2.0-only
"""Tensors: an array is sent as its bytes, its element type and its shape."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec.bounds import require_shape
from defiance_zoo.errors import MalformedMessage

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
    """Return NumPy's element type for a wire `DType`.

    Raises:
        MalformedMessage: There is no such element type.
    """
    try:
        return _DTYPES[number]
    except KeyError:
        raise MalformedMessage(f"the protocol has no element type {number}") from None


def dtype_to_wire(dtype: np.dtype[Any]) -> pb.DType:
    """Return the wire `DType` of a NumPy element type.

    Raises:
        TypeError: The protocol has no such element type.
    """
    try:
        return _NUMBERS[dtype]  # type: ignore[return-value] # enum values are plain ints at run time
    except KeyError:
        raise TypeError(f"{dtype} cannot be sent; the protocol has {list(_NUMBERS)}") from None


def array_from_bytes(data: bytes, dtype: np.dtype[Any], shape: Sequence[int]) -> NDArray[Any]:
    """Return a read-only view of `data`, without a copy.

    Raises:
        MalformedMessage: The length of `data` does not fit `dtype` and `shape`.
    """
    require_length(data, dtype, shape)
    return np.frombuffer(data, dtype).reshape(shape)


def require_length(data: bytes, dtype: np.dtype[Any], shape: Sequence[int]) -> None:
    """Refuse bytes that do not fit an element type and a shape.

    Raises:
        MalformedMessage: The bytes do not fit.
    """
    needed = math.prod(shape) * dtype.itemsize
    if len(data) != needed:
        raise MalformedMessage(
            f"{len(data)} bytes for a tensor of {dtype} with shape {tuple(shape)}, "
            f"which needs {needed}"
        )


def decode_tensor(tensor: pb.Tensor) -> NDArray[Any]:
    """Return a read-only view of a tensor, with its element type and shape.

    Raises:
        MalformedMessage: Element type or shape are invalid, or do not fit the bytes.
    """
    dtype = dtype_from_wire(tensor.dtype)
    require_shape(tensor.shape, dtype.itemsize)
    return array_from_bytes(tensor.data, dtype, tuple(tensor.shape))


def name_of(number: int) -> str:
    """Return the protocol's name of a wire `DType`; its number if it has no name."""
    return pb.DType.Name(number) if number in pb.DType.values() else f"{number}"


def encode_tensor(array: NDArray[Any]) -> pb.Tensor:
    """Return an array as a tensor, in C order."""
    return pb.Tensor(dtype=dtype_to_wire(array.dtype), shape=array.shape, data=array.tobytes())
