# SPDX-License-Identifier: GPL-2.0-only
"""Spaces: the simulation describes them once, and Gymnasium's spaces are made from them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from google.protobuf import json_format
from gymnasium import spaces
from numpy.typing import NDArray

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec.tensors import (
    MAX_DEPTH,
    array_from_bytes,
    decode_tensor,
    dtype_from_wire,
    dtype_to_wire,
    encode_tensor,
    require_integers,
    require_shape,
    require_size,
)
from defiance_zoo.errors import MalformedMessage

Space = spaces.Space[Any]


def element_names(space: Space) -> tuple[str, ...]:
    """Return the scenario's names of the elements of an array, in C order.

    Args:
        space: A space of an environment. Dicts and tuples have no names; the spaces in them may
            have names.

    Returns:
        One name for each element of a Box, MultiDiscrete or MultiBinary; empty without names.
    """
    names: tuple[str, ...] = getattr(space, "element_names", ())
    return names


def decode_space(message: pb.Space) -> Space:
    """Return the Gymnasium space that a message describes."""
    require_size(_measure(message, 1))
    return _decode(message)


def _measure(message: pb.Space, depth: int) -> int:
    """Return the number of bytes of a value of a space, before the space is made."""
    if depth > MAX_DEPTH:
        raise MalformedMessage(f"spaces nested more than {MAX_DEPTH} deep")
    match message.WhichOneof("kind"):
        case None:
            raise MalformedMessage("a space without a kind")
        case "box":
            return require_shape(message.box.shape, dtype_from_wire(message.box.dtype).itemsize)
        case "multi_discrete":
            return require_shape(message.multi_discrete.nvec.shape, 8)
        case "multi_binary":
            return require_shape(message.multi_binary.shape, 1)
        case "text":
            return message.text.min_length
        case "tuple":
            return sum(_measure(each, depth + 1) for each in message.tuple.elements)
        case "dict":
            return sum(_measure(each.space, depth + 1) for each in message.dict.entries)
        case _:
            return 8


def _decode(message: pb.Space) -> Space:
    kind = message.WhichOneof("kind")
    assert kind is not None  # its size was checked
    try:
        space: Space = _DECODERS[kind](getattr(message, kind))
    except (AssertionError, ValueError, TypeError) as error:
        raise MalformedMessage(f"a {kind} space that Gymnasium refuses: {error}") from error
    name_elements(space, tuple(message.element_names))
    return space


def name_elements(space: Space, names: tuple[str, ...]) -> None:
    """Set the names of an array's elements, if there are names."""
    if not names:
        return
    arrays = (spaces.Box, spaces.MultiDiscrete, spaces.MultiBinary)
    size = int(np.prod(space.shape or (), dtype=np.int64)) if isinstance(space, arrays) else 0
    if len(names) != size or len(set(names)) != size or not all(names):
        raise MalformedMessage(f"names {list(names)} of the {size} elements of {space}")
    space.element_names = names  # type: ignore[attr-defined] # Gymnasium's spaces do not declare it


def encode_space(space: Space) -> pb.Space:
    """Return the message that describes a Gymnasium space."""
    for kind, encode in _ENCODERS.items():
        if isinstance(space, kind):
            message: pb.Space = encode(space)
            message.element_names.extend(element_names(space))
            return message
    raise TypeError(f"{type(space).__name__} cannot be sent; the protocol has {list(_ENCODERS)}")


def space_to_json(space: Space) -> str:
    """Return the message that describes a Gymnasium space, in protobuf's JSON."""
    return json_format.MessageToJson(encode_space(space), indent=None)


def space_from_json(text: str) -> Space:
    """Return the Gymnasium space of a description by `space_to_json()`."""
    try:
        message = json_format.Parse(text, pb.Space())
    except (json_format.ParseError, RecursionError) as error:
        raise MalformedMessage(f"not a description of a space: {error}") from error
    return decode_space(message)


def _bounds(data: bytes, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    if len(data) == dtype.itemsize:
        return np.full(shape, np.frombuffer(data, dtype)[0], dtype)
    return array_from_bytes(data, dtype, shape)


def _decode_box(box: pb.BoxSpace) -> spaces.Box:
    dtype, shape = dtype_from_wire(box.dtype), tuple(box.shape)
    low, high = _bounds(box.low, dtype, shape), _bounds(box.high, dtype, shape)
    return spaces.Box(low, high, shape, dtype.type)


def _decode_discrete(discrete: pb.DiscreteSpace) -> Space:
    require_integers(discrete.start, discrete.n)
    return spaces.Discrete(discrete.n, start=discrete.start)


def _decode_multi_discrete(space: pb.MultiDiscreteSpace) -> spaces.MultiDiscrete:
    nvec, start = decode_tensor(space.nvec), decode_tensor(space.start)
    if nvec.dtype != np.int64 or start.dtype != np.int64 or nvec.shape != start.shape:
        raise MalformedMessage("nvec and start of multi_discrete must be int64, of one shape")
    require_integers(start, nvec)
    return spaces.MultiDiscrete(nvec, start=start)


def _decode_multi_binary(space: pb.MultiBinarySpace) -> spaces.MultiBinary:
    shape = tuple(space.shape)
    return spaces.MultiBinary(shape[0] if len(shape) == 1 else shape)


def _decode_text(text: pb.TextSpace) -> spaces.Text:
    if len(set(text.charset)) != len(text.charset):
        raise MalformedMessage(f"a text space with a repeated character: {text.charset!r}")
    if text.max_length and not text.charset:
        raise MalformedMessage(f"texts of {text.max_length} characters, but none to choose from")
    return spaces.Text(min_length=text.min_length, max_length=text.max_length, charset=text.charset)


def _decode_tuple(space: pb.TupleSpace) -> spaces.Tuple:
    return spaces.Tuple([_decode(element) for element in space.elements])


def _decode_dict(space: pb.DictSpace) -> spaces.Dict:
    keys = [entry.key for entry in space.entries]
    if any(one.encode() >= other.encode() for one, other in itertools.pairwise(keys)):
        raise MalformedMessage(f"a dict space whose keys are not in ascending order: {keys}")
    return spaces.Dict({entry.key: _decode(entry.space) for entry in space.entries})


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


GeneratorState = Mapping[str, Any]
"""The state of a generator of NumPy, in plain values."""


def read_generators(*spaces: Space) -> list[GeneratorState]:
    """Return the states of the generators of spaces; nested spaces have their own."""
    return [each.bit_generator.state for each in _find_generators(spaces)]


def set_generators(states: list[GeneratorState], *spaces: Space) -> None:
    """Set the generators of equal spaces to the result of `read_generators()`."""
    for each, state in zip(_find_generators(spaces), states, strict=True):
        each.bit_generator.state = state


def _find_generators(spaces: Any) -> Iterator[np.random.Generator]:
    for space in spaces:
        yield space.np_random
        inner = getattr(space, "spaces", ())
        yield from _find_generators(inner.values() if isinstance(inner, Mapping) else inner)


def placeholder_observation(space: Space) -> Any:
    """Return the value of `space` that is closest to zero; texts are as short as allowed.

    Arrays are read-only, like those of other observations.
    """
    placeholder = _find_placeholder(space)
    if isinstance(placeholder, np.ndarray):
        placeholder.flags.writeable = False
    return placeholder


def _find_placeholder(space: Space) -> Any:
    match space:
        case spaces.Box():
            return np.asarray(np.clip(np.zeros(space.shape, space.dtype), space.low, space.high))
        case spaces.Discrete():
            return np.int64(min(max(0, space.start), space.start + space.n - 1))
        case spaces.MultiDiscrete():
            return np.clip(0, space.start, space.start + space.nvec - 1).astype(np.int64)
        case spaces.MultiBinary():
            return np.zeros(space.shape, np.int8)
        case spaces.Text():
            return space.character_list[0] * space.min_length if space.min_length else ""
        case spaces.Tuple():
            return tuple(placeholder_observation(each) for each in space.spaces)
        case spaces.Dict():
            return {key: placeholder_observation(each) for key, each in space.spaces.items()}
    raise TypeError(f"{type(space).__name__} is not a space of the protocol")
