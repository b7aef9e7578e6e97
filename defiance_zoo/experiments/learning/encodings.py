# SPDX-License-Identifier: GPL-2.0-only
"""Weights of policies as arrays by name, and encodings as bytes with true sizes and losses."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.bridge.system.reading import MOST_MEMORY, parse_json, unzip
from defiance_zoo.errors import ParameterError

Weights = dict[str, NDArray[Any]]
"""Arrays by name."""


def as_weights(state: Mapping[str, Any]) -> Weights:
    """Return copies of arrays and PyTorch tensors; slashes join nested names.

    Raises:
        ParameterError: A value is not an array of numbers.
    """
    return {name: _array(name, value) for name, value in _leaves(state, "")}


def get_weights(model: Any) -> Weights:
    """Return a copy of the weights of a model.

    Args:
        model: A PyTorch module (such as RLlib's RLModule), a model of Stable-Baselines3, or another
            object with `get_state()`, such as RLlib's MultiRLModule.

    Raises:
        ParameterError: The model is none of these.
    """
    return as_weights(_state(model))


def set_weights(model: Any, weights: Mapping[str, NDArray[Any]]) -> None:
    """Set a model's weights to the result of `get_weights()` for an equal model.

    Raises:
        ParameterError: Names or shapes do not fit the model.
    """
    own = dict(_leaves(_state(model), ""))
    if own.keys() != weights.keys():
        odd = sorted(own.keys() ^ weights.keys())
        raise ParameterError(f"the weights are of another model: {odd} are only in one of the two")
    for name, value in own.items():
        if tuple(value.shape) != weights[name].shape:
            raise ParameterError(
                f"weights {name!r} have shape {weights[name].shape}, not {tuple(value.shape)}"
            )
    if hasattr(_module(model), "state_dict"):
        for name, tensor in own.items():
            tensor.copy_(tensor.new_tensor(weights[name]))  # shares its memory with the module
    else:
        model.set_state(_nest(_state(model), "", weights))


def _module(model: Any) -> Any:
    """Return the module that holds the weights; for Stable-Baselines3, the policy."""
    return getattr(model, "policy", model)


def _state(model: Any) -> Mapping[str, Any]:
    module = _module(model)
    for method in ("state_dict", "get_state"):
        if hasattr(module, method):
            state: Mapping[str, Any] = getattr(module, method)()
            return state
    raise ParameterError(f"{type(model).__name__} has no weights: neither state_dict nor get_state")


def _leaves(state: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in state.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{name}/")
        else:
            yield f"{prefix}{name}", value


def _nest(like: Mapping[str, Any], prefix: str, weights: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _nest(value, f"{prefix}{name}/", weights)
        if isinstance(value, Mapping)
        else weights[f"{prefix}{name}"]
        for name, value in like.items()
    }


def _array(name: str, value: Any) -> NDArray[Any]:
    if hasattr(value, "detach"):  # a tensor on any device
        value = value.detach().cpu().numpy()
    array = np.array(value)
    if array.dtype.kind not in "fiub":
        raise ParameterError(f"weights {name!r} are not numbers but {array.dtype}")
    return array


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
