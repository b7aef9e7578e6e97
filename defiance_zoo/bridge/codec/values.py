# SPDX-License-Identifier: GPL-2.0-only
"""Values of a space on the wire: stacks, with the values of one or more agents as rows.

A stack has Gymnasium's batched form: an array with one more axis in front, a tuple or dict of
stacks, or a tuple of texts. A value is sent as its buffers: the bytes of each array, and the texts,
in the order of the wire.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec.spaces import Space, element_names
from defiance_zoo.bridge.codec.tensors import dtype_to_wire, name_of, require_length
from defiance_zoo.errors import MalformedMessage

_SEQUENCES = (tuple, list, deque, set)  # without named tuples, which are facts of the package

Buffer = Any
"""The bytes of an array, or a sequence of texts."""


class Fault(NamedTuple):
    """A value is not within the bounds of its space.

    Attributes:
        reason: The fault and its position, such as "element 2 is inf, but must be from 0.0 to 1.0".
    """

    row: int
    reason: str


class ValueCodec(ABC):
    """Values of one space.

    `check` functions raise `ValueError` or `TypeError`, with the reason, for a value outside the
    space. `pull` raises `MalformedMessage` for a stack of another kind, element type or shape.
    `find_fault` looks for elements of a stack that are out of bounds.
    """

    sizes: tuple[int, ...] | None

    @abstractmethod
    def pull(self, container: pb.DataContainer, rows: int) -> list[Buffer]:
        """Return the buffers of a received stack."""

    @abstractmethod
    def push(self, container: pb.DataContainer, buffers: Iterator[Buffer], rows: int) -> None:
        """Write buffers into an empty message."""

    @abstractmethod
    def assemble(self, buffers: Iterator[Buffer], rows: int) -> Any:
        """Return buffers as a stack; its arrays are read-only views of them."""

    def single(self, buffers: Sequence[Buffer]) -> Any:
        """Return the only row of a stack."""
        (value,) = self.values(self.assemble(iter(buffers), 1), 1)
        return value

    @abstractmethod
    def values(self, stack: Any, rows: int) -> list[Any]:
        """Return the rows of a stack."""

    @abstractmethod
    def find_fault(self, stack: Any, rows: int) -> Fault | None:
        """Return the first row of a stack that is out of bounds, if there is one."""

    @abstractmethod
    def check(self, value: Any) -> Any:
        """Return a value in the form that `flatten` takes; it shares no memory with `value`."""

    @abstractmethod
    def flatten(self, values: Sequence[Any]) -> list[Buffer]:
        """Return the buffers of checked values."""

    @abstractmethod
    def check_stack(self, stack: Any, rows: int) -> list[Buffer]:
        """Return the buffers of a stack of actions."""


class _ArrayCodec(ValueCodec):
    """Arrays of one element type and shape, with inclusive bounds of each element."""

    def __init__(self, kind: str, space: Space, dtype: np.dtype[Any], low: Any, high: Any) -> None:
        shape = space.shape or ()
        self._kind, self._dtype, self._shape = kind, dtype, shape
        self._low, self._high = low, high
        self._names = element_names(space)
        self._number = dtype_to_wire(dtype)
        self._flat = len(shape) == 1
        limits: Any = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
        self._range = (np.asarray(limits.min).item(), np.asarray(limits.max).item())
        self.sizes = (int(np.prod(shape, dtype=np.int64)) * dtype.itemsize,)

    def pull(self, container: pb.DataContainer, rows: int) -> list[Buffer]:
        tensor: pb.Tensor = expect_kind(container, self._kind)
        if tensor.dtype != self._number or tensor.shape != [rows, *self._shape]:
            raise MalformedMessage(
                f"a {self._kind} value of element type {name_of(tensor.dtype)} and shape "
                f"{tuple(tensor.shape)[1:]}, but the space has {self._dtype} and {self._shape}"
            )
        require_length(tensor.data, self._dtype, (rows, *self._shape))
        return [tensor.data]

    def push(self, container: pb.DataContainer, buffers: Iterator[Buffer], rows: int) -> None:
        tensor: pb.Tensor = getattr(container, self._kind)
        tensor.dtype = self._number
        tensor.shape.extend([rows, *self._shape])
        tensor.data = next(buffers)

    def assemble(self, buffers: Iterator[Buffer], rows: int) -> NDArray[Any]:
        flat = np.frombuffer(next(buffers), self._dtype)
        return flat.reshape((rows, *self._shape))

    def single(self, buffers: Sequence[Buffer]) -> NDArray[Any]:
        flat = np.frombuffer(buffers[0], self._dtype)
        return flat if self._flat else flat.reshape(self._shape)

    def values(self, stack: Any, rows: int) -> list[Any]:
        if not self._shape:
            return [stack[row, ...] for row in range(rows)]
        return list(stack) if rows > 1 else [stack[0]]

    def check(self, value: Any) -> bytes:
        array = self._as_array(value, self._shape)
        self._require_bounds(array)
        return array.tobytes()

    def flatten(self, values: Sequence[Any]) -> list[Buffer]:
        return [b"".join(values)]

    def check_stack(self, stack: Any, rows: int) -> list[Buffer]:
        array = self._as_array(stack, (rows, *self._shape))
        self._require_bounds(array)
        return [array.tobytes()]

    def _as_array(self, value: Any, shape: tuple[int, ...]) -> NDArray[Any]:
        array = np.asarray(value)
        if array.shape != shape:
            raise ValueError(f"shape {array.shape} instead of {shape}")
        if array.dtype != self._dtype:
            # Gymnasium's rule: a Box takes values that can be cast to its type (`same_kind`).
            if not np.can_cast(array.dtype, self._dtype, "same_kind"):
                raise TypeError(f"element type {array.dtype} instead of {self._dtype}")
            self._require_range(array)
            array = array.astype(self._dtype)
        return array

    def _require_range(self, array: NDArray[Any]) -> None:
        """Refuse numbers that the element type cannot represent, which NumPy would change."""
        low, high = self._range
        if array.dtype.kind == "f":
            array = array[np.isfinite(array)]
        # Python's numbers are compared exactly: NumPy would compare int64 with uint64 as floats.
        if array.size and not low <= array.min().item() <= array.max().item() <= high:
            raise ValueError(f"{array} has numbers that {self._dtype} cannot represent")

    def find_fault(self, stack: Any, rows: int) -> Fault | None:
        inside = self._inside(stack)
        if inside.all():
            return None
        row, *place = (int(each) for each in np.argwhere(~inside)[0])
        return Fault(row, self._describe(stack[row], tuple(place)))

    def _describe(self, array: NDArray[Any], place: tuple[int, ...]) -> str:
        """Describe the element that is out of bounds, and its bounds."""
        element = int(np.ravel_multi_index(place, self._shape)) if place else 0
        name = f" ({self._names[element]})" if self._names else ""
        low, high = (np.broadcast_to(each, self._shape)[place] for each in (self._low, self._high))
        return f"element {element}{name} is {array[place]}, but must be from {low} to {high}"

    def _inside(self, array: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which elements are within their bounds; NaN never is."""
        inside: NDArray[np.bool_] = (array >= self._low) & (array <= self._high)
        return inside

    def _require_bounds(self, array: NDArray[Any]) -> None:
        """Refuse an array, or a stack of arrays, with an element out of bounds."""
        inside = self._inside(array)
        if not inside.all():
            place = tuple(int(each) for each in np.argwhere(~inside)[0])
            row = len(place) - len(self._shape)
            raise ValueError(self._describe(array[place[:row]], place[row:]))


class _BoxCodec(_ArrayCodec):
    """Values of a Box."""

    def __init__(self, space: spaces.Box, *, bounded: bool = True) -> None:
        super().__init__("box", space, np.dtype(space.dtype), space.low, space.high)
        self._bounded = bounded

    def _require_bounds(self, array: NDArray[Any]) -> None:
        if self._bounded:
            super()._require_bounds(array)


class _MultiDiscreteCodec(_ArrayCodec):
    """Values of a MultiDiscrete."""

    def __init__(self, space: spaces.MultiDiscrete) -> None:
        low = space.start.astype(np.int64)
        high = low + (space.nvec.astype(np.int64) - 1)
        super().__init__("multi_discrete", space, np.dtype(np.int64), low, high)


class _MultiBinaryCodec(_ArrayCodec):
    """Values of a MultiBinary."""

    def __init__(self, space: spaces.MultiBinary) -> None:
        super().__init__("multi_binary", space, np.dtype(np.int8), 0, 1)

    def _as_array(self, value: Any, shape: tuple[int, ...]) -> NDArray[Any]:
        array = np.asarray(value)
        if array.shape != shape or not ((array == 0) | (array == 1)).all():
            raise ValueError(f"{value} is not an array of zeros and ones with shape {shape}")
        return array.astype(np.int8)

    def _require_bounds(self, array: NDArray[Any]) -> None:
        """Do nothing: earlier checks find all faults."""


class _DiscreteCodec(ValueCodec):
    """Values of a Discrete."""

    sizes = (8,)

    def __init__(self, space: Any) -> None:
        self._low = int(space.start)
        self._high = self._low + int(space.n)

    def pull(self, container: pb.DataContainer, rows: int) -> list[Buffer]:
        tensor: pb.Tensor = expect_kind(container, "discrete_stack")
        right = tensor.dtype == pb.DTYPE_INT64 and tensor.shape == [rows]
        if not right or len(tensor.data) != 8 * rows:
            raise MalformedMessage(f"a malformed stack of {rows} discrete values")
        return [tensor.data]

    def push(self, container: pb.DataContainer, buffers: Iterator[Buffer], rows: int) -> None:
        tensor = container.discrete_stack
        tensor.dtype = pb.DTYPE_INT64
        tensor.shape.append(rows)
        tensor.data = next(buffers)

    def assemble(self, buffers: Iterator[Buffer], rows: int) -> NDArray[np.int64]:
        return np.frombuffer(next(buffers), np.int64)

    def values(self, stack: Any, rows: int) -> list[Any]:
        return list(stack)

    def find_fault(self, stack: Any, rows: int) -> Fault | None:
        wrong = np.flatnonzero((stack < self._low) | (stack >= self._high))
        if not wrong.size:
            return None
        row = int(wrong[0])
        return Fault(row, f"is {stack[row]}, but must be from {self._low} to {self._high - 1}")

    def check(self, value: Any) -> int:
        if type(value) is int and self._low <= value < self._high:
            return value
        number = value.item() if isinstance(value, np.ndarray | np.generic) else value
        if not isinstance(number, int) or isinstance(number, bool):
            raise TypeError(f"{value!r} is not an integer")
        if not self._low <= number < self._high:
            raise ValueError(f"{number} is not one of {self._low}, ..., {self._high - 1}")
        return number

    def flatten(self, values: Sequence[Any]) -> list[Buffer]:
        if len(values) == 1:
            return [values[0].to_bytes(8, "little", signed=True)]
        return [np.array(values, np.int64).tobytes()]

    def check_stack(self, stack: Any, rows: int) -> list[Buffer]:
        array = np.asarray(stack)
        if array.shape != (rows,) or array.dtype.kind not in "iu":
            raise ValueError(f"{array.dtype} of shape {array.shape} instead of {rows} integers")
        if ((array < self._low) | (array >= self._high)).any():
            raise ValueError(f"{array} has numbers other than {self._low}, ..., {self._high - 1}")
        return [array.astype(np.int64, copy=False).tobytes()]


class _TextCodec(ValueCodec):
    """Values of a Text."""

    sizes = None

    def __init__(self, space: spaces.Text) -> None:
        self._space = space

    def pull(self, container: pb.DataContainer, rows: int) -> list[Buffer]:
        texts = expect_kind(container, "text_stack").texts
        if len(texts) != rows:
            raise MalformedMessage(f"{len(texts)} texts instead of {rows}")
        return [tuple(texts)]

    def push(self, container: pb.DataContainer, buffers: Iterator[Buffer], rows: int) -> None:
        container.text_stack.texts.extend(cast(Sequence[str], next(buffers)))

    def assemble(self, buffers: Iterator[Buffer], rows: int) -> Sequence[str]:
        return cast(Sequence[str], next(buffers))

    def values(self, stack: Any, rows: int) -> list[Any]:
        return list(stack)

    def find_fault(self, stack: Any, rows: int) -> Fault | None:
        for row, text in enumerate(stack):
            if not self._space.contains(text):
                return Fault(row, f"is {text!r}, which is not in {self._space}")
        return None

    def check(self, value: Any) -> str:
        if not isinstance(value, str):
            raise TypeError(f"{value!r} is not a string")
        if not self._space.contains(value):
            raise ValueError(f"{value!r} is not in {self._space}")
        return value

    def flatten(self, values: Sequence[Any]) -> list[Buffer]:
        return [tuple(values)]

    def check_stack(self, stack: Any, rows: int) -> list[Buffer]:
        if len(stack) != rows:
            raise ValueError(f"{len(stack)} texts instead of {rows}")
        return [tuple(self.check(text) for text in stack)]


def expect_kind(container: pb.DataContainer, kind: str) -> Any:
    """Return the value of a container, which must have this kind."""
    received_kind = container.WhichOneof("kind")
    if received_kind != kind:
        raise MalformedMessage(f"a {received_kind} value where the space is {kind}")
    return getattr(container, kind)


def codec_for_leaf(space: Space, *, bounded: bool) -> ValueCodec:
    """Return the codec of a space that holds no other space; see `codec_for()`."""
    if isinstance(space, spaces.Box):
        return _BoxCodec(space, bounded=bounded)
    for kind, make in _CODECS.items():
        if isinstance(space, kind):
            return make(space)
    raise TypeError(f"{type(space).__name__} is not a space of the protocol")


_CODECS: dict[type, Callable[[Any], ValueCodec]] = {
    spaces.Discrete: _DiscreteCodec,
    spaces.MultiDiscrete: _MultiDiscreteCodec,
    spaces.MultiBinary: _MultiBinaryCodec,
    spaces.Text: _TextCodec,
}


def copy_containers(value: Any) -> Any:
    """Return a value with new dicts, lists and tuples; arrays are read-only, and shared.

    Environments return observations and infos as such copies: a caller that changes a received dict
    does not change later results.
    """
    if isinstance(value, np.ndarray):  # most observations, at each step
        return value
    if isinstance(value, dict):
        return type(value)({key: copy_containers(item) for key, item in value.items()})
    if type(value) in _SEQUENCES:
        return type(value)(map(copy_containers, value))
    return copy.deepcopy(value) if isinstance(value, np.random.Generator) else value


def copy_batch(batch: Any) -> Any:
    """Return an independent copy of a batch, or of a row."""
    return batch.copy() if isinstance(batch, np.ndarray) else copy.deepcopy(batch)
