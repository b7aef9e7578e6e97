# SPDX-License-Identifier: GPL-2.0-only
"""Templates of infos without long texts: their layout on the wire, and readers for it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from struct import Struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec import decode_infos
from defiance_zoo.bridge.codec.tensors import dtype_from_wire
from defiance_zoo.errors import MalformedMessage

NUMBER_BYTES = 8
_FORMATS = {"real": "d", "integer": "q"}
_TENSOR, _TEXT = "tensor", "text"
_LONGEST_TEXT = 32
"""Maximum number of characters of a text that probably repeats, such as a name."""


class InfoField(NamedTuple):
    """An info whose bytes are always the same, except for numbers of fixed size.

    Attributes:
        key: Key of the info.
        kind: `real`, `integer`, `tensor` or `text`.
        dtype: Wire element type of a tensor.
        shape: Shape of a tensor.
        text: The text.
    """

    key: str
    kind: str
    dtype: int = 0
    shape: tuple[int, ...] = ()
    text: str = ""

    @property
    def size(self) -> int:
        """Number of varying bytes."""
        if self.kind == _TEXT:
            return 0
        if self.kind != _TENSOR:
            return NUMBER_BYTES
        return math.prod(self.shape) * dtype_from_wire(self.dtype).itemsize

    def column(self, count: int) -> NDArray[Any]:
        """Return an array with a row for each of several agents; a text is in all rows."""
        if self.kind == _TEXT:
            return np.full(count, self.text, object)
        if self.kind == _TENSOR:
            return np.zeros((count, *self.shape), dtype_from_wire(self.dtype))
        return np.zeros(count, np.float64 if self.kind == "real" else np.int64)

    @property
    def format(self) -> str:
        """Format of the varying bytes for `struct`."""
        return _FORMATS.get(self.kind) or f"{self.size}s"


InfoTemplate = tuple[tuple[int, tuple[InfoField, ...]], ...]
"""Rows of a group of agents, with their infos."""


def info_templates(groups: Iterable[pb.AgentSteps]) -> tuple[InfoTemplate, ...] | None:
    """Return the template of each group's infos, which are valid; None if a text is long."""
    templates = tuple([tuple(map(_fields, steps.infos)) for steps in groups])
    fields = (field for rows in templates for _, row in rows for field in row)
    return None if any(len(field.text) > _LONGEST_TEXT for field in fields) else templates


def _fields(infos: pb.StepInfo) -> tuple[int, tuple[InfoField, ...]]:
    return infos.row, tuple(map(_field, infos.info))


def _field(entry: pb.InfoEntry) -> InfoField:
    kind = entry.WhichOneof("value") or ""
    if kind == _TENSOR:
        return InfoField(entry.key, kind, entry.tensor.dtype, tuple(entry.tensor.shape))
    return InfoField(entry.key, kind, text=entry.text)


def write_infos(template: InfoTemplate, filler: int, steps: pb.AgentSteps) -> None:
    """Add infos of a template to a group's steps; each byte of each value is the filler."""
    for row, fields in template:
        infos = steps.infos.add(row=row).info
        for field in fields:
            (value,) = Struct(f"<{field.format}").unpack(bytes([filler]) * field.size)
            if field.kind == _TEXT:
                value = field.text
            elif field.kind == _TENSOR:
                value = pb.Tensor(dtype=field.dtype, shape=field.shape, data=value)  # type: ignore[arg-type] # enum values are plain ints at run time
            infos.add(key=field.key, **{field.kind: value})


def read_infos(steps: pb.AgentSteps) -> dict[int, dict[str, Any]]:
    """Return the infos of a group by row."""
    infos = {each.row: decode_infos(each.info) for each in steps.infos}
    if len(infos) < len(steps.infos):
        raise MalformedMessage(f"infos of rows {[each.row for each in steps.infos]}, one repeated")
    if any(row >= len(steps.agents) for row in infos):
        raise MalformedMessage(
            f"infos of rows {sorted(infos)}, but there are {len(steps.agents)} rows"
        )
    return infos


def have_form(groups: Iterable[Mapping[int, Mapping[str, Any]]]) -> bool:
    """Return whether the infos of groups, by row, have a template: no text is long."""
    values = (value for rows in groups for infos in rows.values() for value in infos.values())
    return not any(type(value) is str and len(value) > _LONGEST_TEXT for value in values)


def cut_infos(frame: bytes) -> tuple[bytes, list[dict[int, dict[str, Any]]]]:
    """Return a request without infos, and the infos of each group by row; it may be malformed."""
    message = pb.SimulationMessage.FromString(frame)
    infos = [read_infos(steps) for steps in message.step_request.steps]
    for steps in message.step_request.steps:
        steps.ClearField("infos")
    return message.SerializeToString(), infos


class InfoColumns(NamedTuple):
    """Infos of several agents, which they sent in one round, with a row for each agent.

    Attributes:
        arrays: An array for each info, by key; the next round may overwrite them.
        sent: Which rows hold infos of this round, shape (agents,).
    """

    arrays: dict[str, NDArray[Any]]
    sent: NDArray[np.bool_]


class InfoReader:
    """Reads the infos of a group from their bytes."""

    def __init__(self, template: InfoTemplate) -> None:
        fields = [field for _, each in template for field in each]
        self.sizes = [field.size for field in fields if field.size]
        self._values = Struct("<" + "".join(field.format for field in fields))
        self._arrays = [
            (place, field.shape, dtype_from_wire(field.dtype))
            for place, field in enumerate(fields)
            if field.kind == _TENSOR
        ]
        self._texts = [
            (place, field.text) for place, field in enumerate(fields) if field.kind == _TEXT
        ]
        self._rows = [(row, tuple([field.key for field in each])) for row, each in template]

    def read(self, parts: Sequence[bytes]) -> dict[int, dict[str, Any]]:
        """Return infos by row from the bytes of each varying value; arrays are read-only."""
        values: list[Any] = [*self._values.unpack(b"".join(parts))]
        for place, shape, dtype in self._arrays:
            values[place] = np.ndarray(shape, dtype, values[place])
        for place, text in self._texts:
            values[place] = text
        left = iter(values)
        # The iterator keeps the values of later rows.
        return {row: dict(zip(keys, left, strict=False)) for row, keys in self._rows}
