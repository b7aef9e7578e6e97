# SPDX-License-Identifier: GPL-2.0-only
"""Spaces and values keep their contents over the wire; malformed ones raise errors."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector.utils import concatenate, create_empty_array
from spaces_of_all_kinds import SPACES

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec import (
    codec_for,
    decode_infos,
    decode_space,
    element_names,
    encode_space,
    space_from_json,
    space_to_json,
)
from defiance_zoo.bridge.codec.spaces import placeholder_observation
from defiance_zoo.bridge.codec.tensors import encode_tensor
from defiance_zoo.environments.testing import exact
from defiance_zoo.errors import MalformedMessage


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_spaces_and_values_are_equal_after_a_round_trip(space: spaces.Space[Any]) -> None:
    wire = encode_space(space).SerializeToString()
    reported = decode_space(pb.Space.FromString(wire))
    assert reported == space
    space.seed(1)
    samples = [*(space.sample() for _ in range(20)), placeholder_observation(space)]
    # Gymnasium samples a bare number from a Box of shape ().
    values = [np.asarray(each) if isinstance(space, spaces.Box) else each for each in samples]
    assert all(space.contains(value) for value in values)
    stacks = [values, *([value] for value in values)]
    for stack in stacks:
        received = receive(reported, send(space, stack), len(stack))
        assert all(reported.contains(value) for value in received)
        assert [exact(value) for value in received] == [exact(value) for value in stack]


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_stacks_of_values_equal_gymnasium_batches(space: spaces.Space[Any]) -> None:
    space.seed(2)
    values = [space.sample() for _ in range(3)]
    batch = concatenate(space, values, create_empty_array(space, 3))
    codec = codec_for(space)
    container = pb.DataContainer()
    codec.push(container, iter(codec.check_stack(batch, 3)), 3)
    received = receive(space, container.SerializeToString(), 3)
    assert [exact(each) for each in received] == [exact(codec_value(space, v)) for v in values]
    stack = codec.assemble(iter(codec.pull(container, 3)), 3)
    assert equal(stack, batch)


def codec_value(space: spaces.Space[Any], value: Any) -> Any:
    return np.asarray(value) if isinstance(space, spaces.Box) else value


def equal(one: Any, other: Any) -> bool:
    """Compare stacks."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return np.array_equal(one, other)


def send(space: spaces.Space[Any], values: list[Any]) -> bytes:
    """Return the message of a stack of values."""
    codec, container = codec_for(space), pb.DataContainer()
    buffers = codec.flatten([codec.check(value) for value in values])
    codec.push(container, iter(buffers), len(values))
    return container.SerializeToString()


def receive(space: spaces.Space[Any], message: bytes, rows: int) -> list[Any]:
    """Return the values of a message."""
    codec = codec_for(space)
    buffers = codec.pull(pb.DataContainer.FromString(message), rows)
    return codec.values(codec.assemble(iter(buffers), rows), rows)


def test_a_single_bound_in_a_message_holds_for_all_elements_of_a_box() -> None:
    box = pb.BoxSpace(dtype=pb.DTYPE_INT16, shape=[2, 2], low=b"\xff\xff", high=b"\x05\x00")
    assert decode_space(pb.Space(box=box)) == spaces.Box(-1, 5, (2, 2), np.int16)


def test_arrays_are_views_of_the_message() -> None:
    space = spaces.Box(0, 1, (1000,), np.float32)
    (received,) = receive(space, send(space, [space.sample()]), 1)
    assert not received.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        received[0] = 1


REFUSED = [
    (spaces.Discrete(3), -1),
    (spaces.Discrete(3), 3),
    (spaces.Discrete(3), 1.0),
    (spaces.Discrete(3), True),
    (spaces.Discrete(3), None),
    (spaces.Discrete(3), np.array([1, 2])),
    (spaces.Box(0, 1, (2,)), np.array([0.0, 1.5], np.float32)),
    (spaces.Box(0, 1, (2,)), np.array([0.0, np.nan], np.float32)),
    (spaces.Box(0, 1, (2,)), np.zeros(3, np.float32)),
    (spaces.Box(0, 1, (2,)), np.zeros((2, 1), np.float32)),
    (spaces.Box(0, 9, (2,), np.int32), np.array([0.5, 1.5])),
    (spaces.Box(0, 1, (2,)), "zero"),
    (spaces.MultiDiscrete([2, 2]), [0, 2]),
    (spaces.MultiDiscrete([2, 2]), [0]),
    (spaces.MultiBinary(2), [0, 2]),
    (spaces.MultiBinary(2), [0, 1, 0]),
    (spaces.Text(3), "abcd"),
    (spaces.Text(3), 5),
    (spaces.Tuple([spaces.Discrete(2)]), (0, 0)),
    (spaces.Tuple([spaces.Discrete(2)]), 0),
    (spaces.Dict({"a": spaces.Discrete(2)}), {"b": 0}),
    (spaces.Dict({"a": spaces.Discrete(2)}), {"a": 0, "b": 0}),
    (spaces.Dict({"a": spaces.Discrete(2)}), {"a": 5}),
]


@pytest.mark.parametrize(("space", "value"), REFUSED, ids=str)
def test_values_outside_their_space_are_refused(space: spaces.Space[Any], value: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        codec_for(space).check(value)


@pytest.mark.parametrize(
    ("space", "value", "same"),
    [
        (spaces.Discrete(3), np.int64(2), 2),
        (spaces.Discrete(3), np.array(2), 2),
        (spaces.Box(0, 1, (2,), np.float32), [0.5, 1], np.array([0.5, 1], np.float32)),
        (spaces.Box(0, 9, (1,), np.int32), np.array([3]), np.array([3], np.int32)),
        (spaces.MultiBinary(2), [True, False], np.array([1, 0], np.int8)),
    ],
    ids=str,
)
def test_values_are_accepted_as_gymnasium_accepts_them(
    space: spaces.Space[Any], value: Any, same: Any
) -> None:
    (received,) = receive(space, send(space, [value]), 1)
    assert np.array_equal(received, same)


def box(
    dtype: int = pb.DTYPE_FLOAT32, shape: tuple[int, ...] = (1, 2), data: bytes = bytes(8)
) -> Any:
    """Return a box container; by default one that fits."""
    return pb.DataContainer(box=pb.Tensor(dtype=dtype, shape=shape, data=data))


MALFORMED = [
    (pb.DataContainer(), "a None value where the space is box"),
    (pb.DataContainer(discrete=1), "a discrete value where the space is box"),
    (box(dtype=pb.DTYPE_INT32), "element type DTYPE_INT32"),
    (box(shape=(1, 1, 2)), r"shape \(1, 2\)"),
    (box(shape=(2,)), r"shape \(\)"),
    (box(data=bytes(7)), "7 bytes"),
    (box(data=bytes(9)), "9 bytes"),
    (box(shape=(2, 2), data=bytes(16)), "16 bytes|shape"),
]


@pytest.mark.parametrize(("container", "words"), MALFORMED)
def test_malformed_values_are_refused(container: Any, words: str) -> None:
    codec = codec_for(spaces.Box(0, 1, (2,), np.float32))
    assert codec.assemble(iter(codec.pull(box(), 1)), 1).tolist() == [[0, 0]]
    with pytest.raises(MalformedMessage, match=words):
        codec.pull(container, 1)


def test_malformed_dicts_are_refused() -> None:
    codec = codec_for(spaces.Dict({"a": spaces.Discrete(2)}))
    for keys in ([], ["b"], ["a", "a"], ["a", "b"]):
        message = pb.DictContainer(
            entries=[
                pb.DictContainer.Entry(key=k, value=pb.DataContainer(discrete=0)) for k in keys
            ]
        )
        with pytest.raises(MalformedMessage, match="for a dict space with keys"):
            codec.pull(pb.DataContainer(dict=message), 1)


def uniform_box(shape: list[int], low: float = 0, high: float = 1) -> pb.Space:
    """Return a box of equal elements."""
    bounds = [np.float32(each).tobytes() for each in (low, high)]
    box = pb.BoxSpace(dtype=pb.DTYPE_FLOAT32, shape=shape, low=bounds[0], high=bounds[1])
    return pb.Space(box=box)


def multi_discrete(nvec: list[Any], start: list[Any], shape: list[int] | None = None) -> pb.Space:
    """Return a multi-discrete space."""
    tensors = [encode_tensor(np.array(each)) for each in (nvec, start)]
    for tensor in tensors:
        if shape is not None:
            tensor.shape[:] = shape
    return pb.Space(multi_discrete=pb.MultiDiscreteSpace(nvec=tensors[0], start=tensors[1]))


def dict_space(*keys: str) -> pb.Space:
    """Return a dict of integers."""
    integers = pb.Space(discrete=pb.DiscreteSpace(n=2))
    entries = [pb.DictSpace.Entry(key=key, space=integers) for key in keys]
    return pb.Space(dict=pb.DictSpace(entries=entries))


@pytest.mark.parametrize(
    "space",
    [
        pb.Space(),
        pb.Space(box=pb.BoxSpace(dtype=99, shape=[1], low=bytes(4), high=bytes(4))),
        pb.Space(box=pb.BoxSpace(dtype=pb.DTYPE_FLOAT32, shape=[3], low=bytes(8), high=bytes(12))),
        pb.Space(discrete=pb.DiscreteSpace(n=0)),
        pb.Space(text=pb.TextSpace(min_length=5, max_length=2, charset="a")),
        pb.Space(text=pb.TextSpace(max_length=2, charset="aba")),
        pb.Space(text=pb.TextSpace(min_length=1, max_length=2)),
        pb.Space(discrete=pb.DiscreteSpace(n=2, start=2**63 - 1)),
        multi_discrete([3, 0], [0, 0]),
        multi_discrete([3, 3], [0]),
        multi_discrete([3.0, 3.0], [0, 0]),
        multi_discrete([3, 3], [0, 2**63 - 2]),
        uniform_box([2], math.nan, 1),
        uniform_box([2], 0, math.nan),
        uniform_box([2], 1, 0),
        dict_space("b", "a"),
        dict_space("a", "a"),
        pb.Space(box=uniform_box([2]).box, element_names=["x"]),
        pb.Space(box=uniform_box([2]).box, element_names=["x", "x"]),
        pb.Space(box=uniform_box([2]).box, element_names=["x", ""]),
        pb.Space(discrete=pb.DiscreteSpace(n=1), element_names=["x"]),
    ],
    ids=str,
)
def test_malformed_spaces_are_refused(space: pb.Space) -> None:
    with pytest.raises(MalformedMessage):
        decode_space(space)


@pytest.mark.parametrize(
    "space",
    [spaces.Box(0, 1, (2, 1)), spaces.MultiDiscrete([3, 4]), spaces.MultiBinary(2)],
    ids=str,
)
def test_names_of_elements_are_equal_after_a_round_trip(space: Any) -> None:
    message = encode_space(space)
    assert not message.element_names
    message.element_names.extend(["left", "right"])
    decoded = decode_space(message)
    assert decoded == space
    assert element_names(decoded) == ("left", "right")
    assert element_names(space_from_json(space_to_json(decoded))) == ("left", "right")
    values = np.full((3, *(space.shape or ())), 1, space.dtype)
    values[2].flat[1] = 9
    if not isinstance(space, spaces.MultiBinary):  # whose values cannot be out of bounds
        fault = codec_for(decoded).find_fault(values, 3)
        assert fault is not None
        assert fault.row == 2
        assert fault.reason.startswith("element 1 (right) is 9")
        with pytest.raises(ValueError, match=r"element 1 \(right\) is 9"):
            codec_for(decoded).check_stack(values, 3)


def nested(depth: int) -> pb.Space:
    """Return tuples in tuples."""
    space = pb.Space(discrete=pb.DiscreteSpace(n=1))
    for _ in range(depth - 1):
        space = pb.Space(tuple=pb.TupleSpace(elements=[space]))
    return space


LARGE = {
    "box": (uniform_box([2**33]), f"{2**35} bytes"),
    "boxes": (pb.Space(tuple=pb.TupleSpace(elements=[uniform_box([2**25])] * 3)), "bytes"),
    "empty box": (uniform_box([0, 2**40]), "bytes"),
    "binary": (pb.Space(multi_binary=pb.MultiBinarySpace(shape=[2**33])), f"{2**33} bytes"),
    "discrete": (multi_discrete([], [], shape=[0, 2**62]), "bytes"),
    "text": (pb.Space(text=pb.TextSpace(min_length=2**40, max_length=2**41, charset="a")), "bytes"),
    "axes": (uniform_box([1] * 32), "32 axes; at most 31"),
    "depth": (nested(31), "more than 30 deep"),
}


@pytest.mark.parametrize("case", LARGE)
def test_too_large_spaces_are_refused_before_memory_is_allocated(case: str) -> None:
    space, words = LARGE[case]
    tracemalloc.start()
    try:
        with pytest.raises(MalformedMessage, match=words):
            decode_space(space)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_the_largest_allowed_spaces_are_accepted() -> None:
    assert decode_space(nested(30)) is not None
    assert decode_space(pb.Space(multi_binary=pb.MultiBinarySpace(shape=[2**28]))).shape == (2**28,)
    space = decode_space(uniform_box([1] * 31))
    assert receive(space, send(space, [space.sample()] * 2), 2)[1].shape == (1,) * 31
    integers = pb.Space(discrete=pb.DiscreteSpace(n=2, start=2**63 - 2))
    assert receive(decode_space(integers), send(spaces.Discrete(2), [1]), 1) == [1]


def test_infos_keep_their_types_over_the_wire() -> None:
    entries = [
        pb.InfoEntry(key="rate", real=0.5),
        pb.InfoEntry(key="packets", integer=-3),
        pb.InfoEntry(key="cell", text="north"),
        pb.InfoEntry(key="queue", tensor=pb.Tensor(dtype=pb.DTYPE_UINT8, shape=[2], data=b"\1\2")),
    ]
    infos = decode_infos(entries)
    assert [type(infos[key]) for key in ("rate", "packets", "cell")] == [float, int, str]
    assert infos["queue"].dtype == np.uint8
    with pytest.raises(MalformedMessage, match="'empty' has no value"):
        decode_infos([pb.InfoEntry(key="empty")])
    with pytest.raises(MalformedMessage, match="'rate' is sent twice"):
        decode_infos([*entries, entries[0]])


@pytest.mark.parametrize(
    ("space", "value"),
    [
        (spaces.Box(-128, 127, (1,), np.int8), [300]),
        (spaces.Box(-128, 127, (1,), np.int8), np.array([-129], np.int64)),
        (spaces.Box(-(2**63), 2**63 - 1, (1,), np.int64), np.array([2**63], np.uint64)),
        (spaces.MultiDiscrete([5], start=[-(2**63)]), np.array([2**63], np.uint64)),
        (spaces.Box(-np.inf, np.inf, (1,), np.float32), [1e300]),
    ],
    ids=str,
)
def test_numbers_outside_of_the_element_type_are_refused(space: Any, value: Any) -> None:
    codec = codec_for(space, bounded=False)
    with pytest.raises(ValueError, match=r"numbers that .* cannot represent"):
        codec.check(value)
    with pytest.raises(ValueError, match=r"numbers that .* cannot represent"):
        codec.check_stack(np.array([value]), 1)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_large_integers_are_exact(dtype: Any) -> None:
    odd = 2**53 + 1
    codec = codec_for(spaces.Box(odd, odd, (1,), dtype))
    given = [odd] if dtype is np.int64 else np.array([odd], dtype)
    assert np.frombuffer(codec.check(given), dtype).item() == odd
    for wrong in (odd - 1, odd + 1):
        with pytest.raises(ValueError, match="element 0 is"):
            codec.check(np.array([wrong], dtype))
