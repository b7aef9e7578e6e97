# SPDX-License-Identifier: GPL-2.0-only
"""Encodings of weights and experience as bytes, with true sizes and losses."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.bridge.system.reading import MOST_MEMORY, parse_json, unzip
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.learning.weights import Weights

_LENGTH_BYTES = 4


class Encoding(Protocol):
    """Converts arrays by name to bytes for a transfer, and back."""

    def encode(self, weights: Mapping[str, NDArray[Any]], base: Weights | None = None) -> bytes:
        """Return the bytes; `base` holds the receiver's weights."""

    def decode(self, data: bytes, base: Weights | None = None) -> Weights:
        """Return the weights that the receiver decodes from the bytes."""


class Full:
    """Unchanged arrays: 4 bytes, a header of names, dtypes and shapes, and the arrays' memory."""

    def encode(self, weights: Mapping[str, NDArray[Any]], base: Weights | None = None) -> bytes:
        """See `Encoding`."""
        arrays = {name: np.ascontiguousarray(array) for name, array in weights.items()}
        contents = {name: [a.dtype.str, np.shape(weights[name])] for name, a in arrays.items()}
        header = json.dumps(contents, separators=(",", ":")).encode()
        length = len(header).to_bytes(_LENGTH_BYTES, "little")
        return b"".join([length, header, *(array.tobytes() for array in arrays.values())])

    def decode(self, data: bytes, base: Weights | None = None) -> Weights:
        """See `Encoding`.

        Raises:
            ParameterError: The bytes hold no arrays.
        """
        first = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
        weights = {}
        try:
            for name, (dtype, shape) in parse_json(data[_LENGTH_BYTES:first]).items():
                array = np.frombuffer(data, dtype, math.prod(shape), first)
                weights[name] = array.reshape(shape).copy()
                first += array.nbytes
        except (ValueError, TypeError, AttributeError) as error:
            raise ParameterError(f"these bytes are not weights: {error}") from error
        return weights


class Half:
    """Floating-point arrays as float16, decoded to float32."""

    def encode(self, weights: Mapping[str, NDArray[Any]], base: Weights | None = None) -> bytes:
        """See `Encoding`.

        Raises:
            ParameterError: A number is beyond the range of float16.
        """
        halves = {}
        for name, array in weights.items():
            if _is_floating(array):
                if np.any(np.abs(array) > np.finfo(np.float16).max):
                    raise ParameterError(f"weights {name!r} are too large for float16")
                array = array.astype(np.float16)
            halves[name] = array
        return Full().encode(halves)

    def decode(self, data: bytes, base: Weights | None = None) -> Weights:
        """See `Encoding`."""
        return {
            name: array.astype(np.float32) if _is_floating(array) else array
            for name, array in Full().decode(data).items()
        }


class Compressed:
    """The bytes of another encoding, compressed by zlib."""

    def __init__(self, inner: Encoding | None = None, level: int = 6) -> None:
        """Compress the bytes of `inner`.

        Args:
            inner: Inner encoding; None: `Full()`.
            level: Level of zlib, from 0 to 9.
        """
        self._inner, self._level = inner or Full(), level

    def encode(self, weights: Mapping[str, NDArray[Any]], base: Weights | None = None) -> bytes:
        """See `Encoding`."""
        return zlib.compress(self._inner.encode(weights, base), self._level)

    def decode(self, data: bytes, base: Weights | None = None) -> Weights:
        """See `Encoding`.

        Raises:
            ParameterError: The bytes hold no arrays, or decompress to too many bytes.
        """
        try:
            plain = unzip(data, MOST_MEMORY, wbits=zlib.MAX_WBITS)
        except ValueError as error:
            raise ParameterError(f"these bytes are not weights: {error}") from error
        return self._inner.decode(plain, base)


class Delta:
    """Changes of floating-point arrays since the receiver's version; other arrays as they are.

    Differences are relative to decoded weights, so that rounding errors do not accumulate.
    """

    def __init__(self, inner: Encoding | None = None, *, threshold: float = 0.0) -> None:
        """Encode changes.

        Args:
            inner: Encoding of changes; None: `Compressed(Half())`.
            threshold: Changes up to this size are left out, so the rest compresses well.
        """
        self._inner, self._threshold = inner or Compressed(Half()), threshold

    def encode(self, weights: Mapping[str, NDArray[Any]], base: Weights | None = None) -> bytes:
        """See `Encoding`.

        Raises:
            ParameterError: There is no base, or the base is of another model.
        """
        base = _require(base, weights)
        changes = {}
        for name, array in weights.items():
            if _is_floating(array):
                change = array - base[name]
                array = np.where(np.abs(change) <= self._threshold, 0, change).astype(array.dtype)
            changes[name] = array
        return self._inner.encode(changes)

    def decode(self, data: bytes, base: Weights | None = None) -> Weights:
        """See `Encoding`.

        Raises:
            ParameterError: There is no base, or the base is of another model.
        """
        changes = self._inner.decode(data)
        base = _require(base, changes)
        return {
            name: (base[name] + change).astype(base[name].dtype) if _is_floating(change) else change
            for name, change in changes.items()
        }


def _is_floating(array: NDArray[Any]) -> bool:
    return np.issubdtype(array.dtype, np.floating)


def _require(base: Weights | None, weights: Mapping[str, NDArray[Any]]) -> Weights:
    """Return the weights that the receiver has."""
    if base is None:
        raise ParameterError("a delta needs the receiver's weights")
    if {n: a.shape for n, a in base.items()} != {n: a.shape for n, a in weights.items()}:
        raise ParameterError("the receiver's weights have other names or shapes")
    return base
