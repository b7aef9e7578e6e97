# SPDX-License-Identifier: GPL-2.0-only
"""Values of a space: one decoder and one encoder is made for each space, and used at every step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.codec.spaces import Space
from defiance_zoo.codec.tensors import array_from_bytes, dtype_to_wire
from defiance_zoo.errors import MalformedMessage

Decoder = Callable[[pb.DataContainer], Any]
Encoder = Callable[[Any], pb.DataContainer]


def decoder_for(space: Space) -> Decoder:
    """Return the function that turns containers into values of `space`.

    Arrays are read-only views of the message. The function raises `MalformedMessage` for a
    container of another kind, element type or shape. Bounds are the simulation's promise and
    are not checked.

    Raises:
        TypeError: The protocol has no such kind of space.
    """
    decoder: Decoder = _pick(space, _DECODERS)
    return decoder


def encoder_for(space: Space) -> Encoder:
    """Return the function that turns values of `space` into containers.

    The function raises `ValueError` or `TypeError`, with the reason, for what is not in `space`.

    Raises:
        TypeError: The protocol has no such kind of space.
    """
    encoder: Encoder = _pick(space, _ENCODERS)
    return encoder


def _pick(space: Space, table: dict[type, Callable[[Any], Any]]) -> Any:
    for kind, make in table.items():
        if isinstance(space, kind):
            return make(space)
    raise TypeError(f"{type(space).__name__} is not a space of the protocol")


def _wrong_kind(container: pb.DataContainer, expected: str) -> MalformedMessage:
    return MalformedMessage(f"a {container.WhichOneof('kind')} value where the space is {expected}")


def _array_decoder(
    field: str, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> Callable[[pb.DataContainer], NDArray[Any]]:
    number, wire_shape = dtype_to_wire(dtype), list(shape)

    def decode(container: pb.DataContainer) -> NDArray[Any]:
        if container.WhichOneof("kind") != field:
            raise _wrong_kind(container, field)
        tensor: pb.Tensor = getattr(container, field)
        if tensor.dtype != number or tensor.shape != wire_shape:
            raise MalformedMessage(
                f"a {field} value of element type {pb.DType.Name(tensor.dtype)} and shape "
                f"{tuple(tensor.shape)}, where the space has {dtype} and {shape}"
            )
        return array_from_bytes(tensor.data, dtype, shape)

    return decode


def _box_decoder(space: spaces.Box) -> Decoder:
    return _array_decoder("box", np.dtype(space.dtype), space.shape)


def _multi_discrete_decoder(space: spaces.MultiDiscrete) -> Decoder:
    return _array_decoder("multi_discrete", np.dtype(np.int64), space.shape)


def _multi_binary_decoder(space: spaces.MultiBinary) -> Decoder:
    return _array_decoder("multi_binary", np.dtype(np.int8), space.shape)


def _discrete_decoder(space: Any) -> Decoder:
    def decode(container: pb.DataContainer) -> Any:
        if container.WhichOneof("kind") != "discrete":
            raise _wrong_kind(container, "discrete")
        return np.int64(container.discrete)

    return decode


def _text_decoder(space: spaces.Text) -> Decoder:
    def decode(container: pb.DataContainer) -> str:
        if container.WhichOneof("kind") != "text":
            raise _wrong_kind(container, "text")
        return container.text

    return decode


def _tuple_decoder(space: spaces.Tuple) -> Decoder:
    parts = [decoder_for(each) for each in space.spaces]

    def decode(container: pb.DataContainer) -> tuple[Any, ...]:
        if container.WhichOneof("kind") != "tuple":
            raise _wrong_kind(container, "tuple")
        elements = container.tuple.elements
        if len(elements) != len(parts):
            raise MalformedMessage(f"{len(elements)} elements for a tuple of {len(parts)}")
        return tuple(part(element) for part, element in zip(parts, elements, strict=True))

    return decode


def _dict_decoder(space: spaces.Dict) -> Decoder:
    parts = {key: decoder_for(each) for key, each in space.spaces.items()}

    def decode(container: pb.DataContainer) -> dict[str, Any]:
        if container.WhichOneof("kind") != "dict":
            raise _wrong_kind(container, "dict")
        entries = {entry.key: entry.value for entry in container.dict.entries}
        if len(container.dict.entries) != len(parts) or entries.keys() != parts.keys():
            keys = [entry.key for entry in container.dict.entries]
            raise MalformedMessage(f"keys {keys} for a dict space with keys {list(parts)}")
        return {key: part(entries[key]) for key, part in parts.items()}

    return decode


_DECODERS: dict[type, Callable[[Any], Decoder]] = {
    spaces.Box: _box_decoder,
    spaces.Discrete: _discrete_decoder,
    spaces.MultiDiscrete: _multi_discrete_decoder,
    spaces.MultiBinary: _multi_binary_decoder,
    spaces.Text: _text_decoder,
    spaces.Tuple: _tuple_decoder,
    spaces.Dict: _dict_decoder,
}


def _as_array(value: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    array = np.asarray(value)
    if array.shape != shape:
        raise ValueError(f"shape {array.shape} instead of {shape}")
    if array.dtype != dtype:
        # Gymnasium's own rule: a Box takes what fits its type without loss of kind.
        if not np.can_cast(array.dtype, dtype, "same_kind"):
            raise TypeError(f"element type {array.dtype} instead of {dtype}")
        array = array.astype(dtype)
    return array


def _tensor(number: pb.DType, array: NDArray[Any], shape: tuple[int, ...]) -> pb.Tensor:
    return pb.Tensor(dtype=number, shape=shape, data=array.tobytes())


def _box_encoder(space: spaces.Box) -> Encoder:
    dtype, shape, low, high = np.dtype(space.dtype), space.shape, space.low, space.high
    number = dtype_to_wire(dtype)

    def encode(value: Any) -> pb.DataContainer:
        array = _as_array(value, dtype, shape)
        if not ((array >= low) & (array <= high)).all():  # false for NaN as well
            raise ValueError(f"{value} is not within [{low.min()}, {high.max()}]")
        return pb.DataContainer(box=_tensor(number, array, shape))

    return encode


def _discrete_encoder(space: Any) -> Encoder:
    low = int(space.start)
    high = low + int(space.n)

    def encode(value: Any) -> pb.DataContainer:
        number = value.item() if isinstance(value, np.ndarray | np.generic) else value
        if not isinstance(number, int) or isinstance(number, bool):
            raise TypeError(f"{value!r} is not an integer")
        if not low <= number < high:
            raise ValueError(f"{number} is not one of {low}, ..., {high - 1}")
        return pb.DataContainer(discrete=number)

    return encode


def _multi_discrete_encoder(space: spaces.MultiDiscrete) -> Encoder:
    shape, low = space.shape, space.start.astype(np.int64)
    high = low + space.nvec.astype(np.int64)

    def encode(value: Any) -> pb.DataContainer:
        array = _as_array(value, np.dtype(np.int64), shape)
        if not ((array >= low) & (array < high)).all():
            raise ValueError(f"{value} is not within {low} and {high - 1}")
        return pb.DataContainer(multi_discrete=_tensor(pb.DTYPE_INT64, array, shape))

    return encode


def _multi_binary_encoder(space: spaces.MultiBinary) -> Encoder:
    shape = space.shape

    def encode(value: Any) -> pb.DataContainer:
        array = np.asarray(value)
        if array.shape != shape or not ((array == 0) | (array == 1)).all():
            raise ValueError(f"{value} is not an array of zeros and ones with shape {shape}")
        return pb.DataContainer(multi_binary=_tensor(pb.DTYPE_INT8, array.astype(np.int8), shape))

    return encode


def _text_encoder(space: spaces.Text) -> Encoder:
    def encode(value: Any) -> pb.DataContainer:
        if not isinstance(value, str):
            raise TypeError(f"{value!r} is not a string")
        if not space.contains(value):
            raise ValueError(f"{value!r} is not in {space}")
        return pb.DataContainer(text=value)

    return encode


def _tuple_encoder(space: spaces.Tuple) -> Encoder:
    parts = [encoder_for(each) for each in space.spaces]

    def encode(value: Any) -> pb.DataContainer:
        if not isinstance(value, tuple | list | np.ndarray) or len(value) != len(parts):
            raise ValueError(f"{value!r} is not a tuple of {len(parts)} elements")
        message = pb.TupleContainer(
            elements=[part(element) for part, element in zip(parts, value, strict=True)]
        )
        return pb.DataContainer(tuple=message)

    return encode


def _dict_encoder(space: spaces.Dict) -> Encoder:
    keys = sorted(space.spaces, key=str.encode)
    parts = {key: encoder_for(space.spaces[key]) for key in keys}

    def encode(value: Any) -> pb.DataContainer:
        if not isinstance(value, dict) or value.keys() != parts.keys():
            raise ValueError(f"{value!r} is not a dict with the keys {keys}")
        message = pb.DictContainer()
        for key, part in parts.items():
            message.entries.add(key=key, value=part(value[key]))
        return pb.DataContainer(dict=message)

    return encode


_ENCODERS: dict[type, Callable[[Any], Encoder]] = {
    spaces.Box: _box_encoder,
    spaces.Discrete: _discrete_encoder,
    spaces.MultiDiscrete: _multi_discrete_encoder,
    spaces.MultiBinary: _multi_binary_encoder,
    spaces.Text: _text_encoder,
    spaces.Tuple: _tuple_encoder,
    spaces.Dict: _dict_encoder,
}
