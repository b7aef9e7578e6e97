# SPDX-License-Identifier: GPL-2.0-only
"""Infos that are numbers: what they look like on the wire, and how they are read by position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from struct import Struct
from typing import Any

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb

NUMBER_BYTES = 8
_FORMATS = {"real": "d", "integer": "q"}

InfoShape = tuple[tuple[int, tuple[tuple[str, str], ...]], ...]
"""Of a group of agents: rows, with the key and the kind of each info."""


def info_shapes(groups: Iterable[pb.AgentSteps]) -> tuple[InfoShape, ...] | None:
    """Return the shape of the infos of each group; None if one holds other things than numbers."""
    shapes = []
    for steps in groups:
        rows = []
        for each in steps.infos:
            entries = tuple([(entry.key, entry.WhichOneof("value")) for entry in each.info])
            if not all(kind in _FORMATS for _, kind in entries):
                return None
            rows.append((each.row, entries))
        shapes.append(tuple(rows))
    return tuple(shapes)


def write_infos(shape: InfoShape, filler: bytes, steps: pb.AgentSteps) -> None:
    """Write infos of a shape.

    Args:
        shape: The shape.
        filler: The bytes of each number.
        steps: The group's steps, to which they are added.
    """
    for row, entries in shape:
        infos = steps.infos.add(row=row).info
        for key, kind in entries:
            (value,) = Struct(f"<{_FORMATS[kind]}").unpack(filler)
            infos.add(key=key, **{kind: value})


class InfoReader:
    """Reads the infos of a group from their bytes.

    Attributes:
        count: Numbers of which they are made.
    """

    def __init__(self, shape: InfoShape) -> None:
        """Take the shape."""
        kinds = [_FORMATS[kind] for _, entries in shape for _, kind in entries]
        self.count = len(kinds)
        self._numbers = Struct("<" + "".join(kinds))
        self._rows = [(row, tuple([key for key, _ in entries])) for row, entries in shape]

    def read(self, fields: Sequence[bytes]) -> dict[int, dict[str, Any]]:
        """Return infos by row.

        Args:
            fields: The bytes of each number.
        """
        if not self.count:
            return {row: {} for row, _ in self._rows}
        values = iter(self._numbers.unpack(b"".join(fields)))
        # The values of the rows that follow are left in the iterator.
        return {row: dict(zip(keys, values, strict=False)) for row, keys in self._rows}
