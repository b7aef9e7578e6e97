# SPDX-License-Identifier: GPL-2.0-only
"""Values of tuples and dicts, and the codec of any space."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec.spaces import Space
from defiance_zoo.bridge.codec.values import Buffer, Fault, ValueCodec, codec_for_leaf, expect_kind
from defiance_zoo.errors import MalformedMessage


def codec_for(space: Space, *, bounded: bool = True) -> ValueCodec:
    """Return the codec of a space.

    If `bounded`, `check` refuses elements of a Box that are out of bounds.
    """
    if isinstance(space, spaces.Tuple):
        return _TupleCodec(space, bounded=bounded)
    if isinstance(space, spaces.Dict):
        return _DictCodec(space, bounded=bounded)
    return codec_for_leaf(space, bounded=bounded)


class _NestedCodec(ValueCodec):
    """Values that consist of parts, in the order of the wire."""

    def __init__(self, parts: Mapping[Any, ValueCodec]) -> None:
        self._parts = parts
        self._of_leaves = not any(isinstance(part, _NestedCodec) for part in parts.values())
        sizes = [part.sizes for part in parts.values()]
        self.sizes = None
        if None not in sizes:
            self.sizes = tuple(size for each in sizes if each is not None for size in each)

    @abstractmethod
    def _compose(self, parts: Iterable[Any]) -> Any:
        """Return the value with these parts."""

    @abstractmethod
    def _require_parts(self, value: Any) -> None:
        """Refuse values with other parts."""

    @abstractmethod
    def _name_part(self, key: Any) -> str:
        """Return the name of a part, for messages."""

    def assemble(self, buffers: Iterator[Buffer], rows: int) -> Any:
        return self._compose([part.assemble(buffers, rows) for part in self._parts.values()])

    def single(self, buffers: Sequence[Buffer]) -> Any:
        if not self._of_leaves:
            return super().single(buffers)
        pairs = zip(self._parts.values(), buffers, strict=True)  # a leaf has one buffer
        return self._compose([part.single((buffer,)) for part, buffer in pairs])

    def values(self, stack: Any, rows: int) -> list[Any]:
        columns = [part.values(stack[key], rows) for key, part in self._parts.items()]
        return [self._compose([column[row] for column in columns]) for row in range(rows)]

    def find_fault(self, stack: Any, rows: int) -> Fault | None:
        for key, part in self._parts.items():
            fault = part.find_fault(stack[key], rows)
            if fault is not None:
                return Fault(fault.row, f"{self._name_part(key)} {fault.reason}")
        return None

    def check(self, value: Any) -> Any:
        self._require_parts(value)
        return {key: part.check(value[key]) for key, part in self._parts.items()}

    def flatten(self, values: Sequence[Any]) -> list[Buffer]:
        buffers: list[Buffer] = []
        for key, part in self._parts.items():
            buffers += part.flatten([value[key] for value in values])
        return buffers

    def check_stack(self, stack: Any, rows: int) -> list[Buffer]:
        self._require_parts(stack)
        buffers: list[Buffer] = []
        for key, part in self._parts.items():
            buffers += part.check_stack(stack[key], rows)
        return buffers


class _TupleCodec(_NestedCodec):
    def __init__(self, space: spaces.Tuple, *, bounded: bool) -> None:
        parts = enumerate(space.spaces)
        super().__init__({i: codec_for(each, bounded=bounded) for i, each in parts})

    def pull(self, container: pb.DataContainer, rows: int) -> list[Buffer]:
        elements = expect_kind(container, "tuple").elements
        if len(elements) != len(self._parts):
            raise MalformedMessage(f"{len(elements)} elements for a tuple of {len(self._parts)}")
        buffers: list[Buffer] = []
        for part, element in zip(self._parts.values(), elements, strict=True):
            buffers += part.pull(element, rows)
        return buffers

    def push(self, container: pb.DataContainer, buffers: Iterator[Buffer], rows: int) -> None:
        container.tuple.SetInParent()  # it may be empty
        for part in self._parts.values():
            part.push(container.tuple.elements.add(), buffers, rows)

    def _compose(self, parts: Iterable[Any]) -> Any:
        return tuple(parts)

    def _require_parts(self, value: Any) -> None:
        if not isinstance(value, tuple | list | np.ndarray) or len(value) != len(self._parts):
            raise ValueError(f"{value!r} is not a tuple of {len(self._parts)} elements")

    def _name_part(self, key: Any) -> str:
        return f"item {key}"


class _DictCodec(_NestedCodec):
    def __init__(self, space: spaces.Dict, *, bounded: bool) -> None:
        keys = sorted(space.spaces, key=str.encode)
        super().__init__({key: codec_for(space.spaces[key], bounded=bounded) for key in keys})

    def pull(self, container: pb.DataContainer, rows: int) -> list[Buffer]:
        entries = expect_kind(container, "dict").entries
        keys = [entry.key for entry in entries]
        if keys != list(self._parts):
            raise MalformedMessage(f"keys {keys} for a dict space with keys {list(self._parts)}")
        buffers: list[Buffer] = []
        for part, entry in zip(self._parts.values(), entries, strict=True):
            buffers += part.pull(entry.value, rows)
        return buffers

    def push(self, container: pb.DataContainer, buffers: Iterator[Buffer], rows: int) -> None:
        container.dict.SetInParent()  # it may be empty
        for key, part in self._parts.items():
            entry = container.dict.entries.add(key=key)
            part.push(entry.value, buffers, rows)

    def _compose(self, parts: Iterable[Any]) -> Any:
        return dict(zip(self._parts, parts, strict=True))

    def _require_parts(self, value: Any) -> None:
        if not isinstance(value, Mapping) or value.keys() != self._parts.keys():
            raise ValueError(f"{value!r} is not a dict with the keys {list(self._parts)}")

    def _name_part(self, key: Any) -> str:
        return f"key {key!r}"
