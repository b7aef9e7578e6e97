# SPDX-License-Identifier: GPL-2.0-only
"""Spaces: the simulation says them once, and Gymnasium's are made from them."""

from __future__ import annotations

from typing import Any

import numpy as np
from google.protobuf import json_format
from gymnasium import spaces
from numpy.typing import NDArray

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.codec.tensors import (
    array_from_bytes,
    decode_tensor,
    dtype_from_wire,
    dtype_to_wire,
    encode_tensor,
)
from defiance_zoo.errors import MalformedMessage

Space = spaces.Space[Any]


def decode_space(message: pb.Space) -> Space:
    """Return the Gymnasium space that a message describes.

    Raises:
        MalformedMessage: The description contradicts itself or its kind is not known.
    """
    kind = message.WhichOneof("kind")
    if kind is None:
        raise MalformedMessage("a space of no kind")
    try:
        space: Space = _DECODERS[kind](getattr(message, kind))
    except (AssertionError, ValueError, TypeError) as error:
        raise MalformedMessage(f"a {kind} space that Gymnasium refuses: {error}") from error
    return space


def encode_space(space: Space) -> pb.Space:
    """Return the message that describes a Gymnasium space.

    Raises:
        TypeError: The protocol has no such kind of space.
    """
    for kind, encode in _ENCODERS.items():
        if isinstance(space, kind):
            message: pb.Space = encode(space)
            return message
    raise TypeError(f"{type(space).__name__} cannot be sent; the protocol has {list(_ENCODERS)}")


def space_to_json(space: Space) -> str:
    """Return the message that describes a Gymnasium space, in protobuf's JSON.

    Raises:
        TypeError: The protocol has no such kind of space.
    """
    return json_format.MessageToJson(encode_space(space), indent=None)


def _bounds(data: bytes, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    if len(data) == dtype.itemsize:
        return np.full(shape, np.frombuffer(data, dtype)[0], dtype)
    return array_from_bytes(data, dtype, shape)


def _decode_box(box: pb.BoxSpace) -> spaces.Box:
    dtype, shape = dtype_from_wire(box.dtype), tuple(box.shape)
    low, high = _bounds(box.low, dtype, shape), _bounds(box.high, dtype, shape)
    return spaces.Box(low, high, shape, dtype.type)


def _decode_discrete(discrete: pb.DiscreteSpace) -> Space:
    return spaces.Discrete(discrete.n, start=discrete.start)


def _decode_multi_discrete(space: pb.MultiDiscreteSpace) -> spaces.MultiDiscrete:
    return spaces.MultiDiscrete(decode_tensor(space.nvec), start=decode_tensor(space.start))


def _decode_multi_binary(space: pb.MultiBinarySpace) -> spaces.MultiBinary:
    shape = tuple(space.shape)
    return spaces.MultiBinary(shape[0] if len(shape) == 1 else shape)


def _decode_text(text: pb.TextSpace) -> spaces.Text:
    return spaces.Text(min_length=text.min_length, max_length=text.max_length, charset=text.charset)


def _decode_tuple(space: pb.TupleSpace) -> spaces.Tuple:
    return spaces.Tuple([decode_space(element) for element in space.elements])


def _decode_dict(space: pb.DictSpace) -> spaces.Dict:
    entries = {entry.key: decode_space(entry.space) for entry in space.entries}
    if len(entries) != len(space.entries):
        raise MalformedMessage("a dict space that has a key twice")
    return spaces.Dict(entries)


_DECODERS: dict[str, Any] = {
    "box": _decode_box,
    "discrete": _decode_discrete,
    "multi_discrete": _decode_multi_discrete,
    "multi_binary": _decode_multi_binary,
    "text": _decode_text,
    "tuple": _decode_tuple,
    "dict": _decode_dict,
}


def _encode_box(space: spaces.Box) -> pb.Space:
    return pb.Space(
        box=pb.BoxSpace(
            dtype=dtype_to_wire(np.dtype(space.dtype)),
            shape=space.shape,
            low=space.low.tobytes(),
            high=space.high.tobytes(),
        )
    )


def _encode_discrete(space: Any) -> pb.Space:
    return pb.Space(discrete=pb.DiscreteSpace(n=int(space.n), start=int(space.start)))


def _encode_multi_discrete(space: spaces.MultiDiscrete) -> pb.Space:
    nvec, start = (encode_tensor(each.astype(np.int64)) for each in (space.nvec, space.start))
    return pb.Space(multi_discrete=pb.MultiDiscreteSpace(nvec=nvec, start=start))


def _encode_multi_binary(space: spaces.MultiBinary) -> pb.Space:
    return pb.Space(multi_binary=pb.MultiBinarySpace(shape=space.shape))


def _encode_text(space: spaces.Text) -> pb.Space:
    return pb.Space(
        text=pb.TextSpace(
            min_length=space.min_length,
            max_length=space.max_length,
            charset="".join(space.character_list),
        )
    )


def _encode_tuple(space: spaces.Tuple) -> pb.Space:
    return pb.Space(tuple=pb.TupleSpace(elements=[encode_space(each) for each in space.spaces]))


def _encode_dict(space: spaces.Dict) -> pb.Space:
    message = pb.DictSpace()
    for key in sorted(space.spaces, key=str.encode):
        message.entries.add(key=key, space=encode_space(space.spaces[key]))
    return pb.Space(dict=message)


_ENCODERS: dict[type, Any] = {
    spaces.Box: _encode_box,
    spaces.Discrete: _encode_discrete,
    spaces.MultiDiscrete: _encode_multi_discrete,
    spaces.MultiBinary: _encode_multi_binary,
    spaces.Text: _encode_text,
    spaces.Tuple: _encode_tuple,
    spaces.Dict: _encode_dict,
}
