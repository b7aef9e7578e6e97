# SPDX-License-Identifier: GPL-2.0-only
"""Messages that differ in numbers of fixed size alone, read and written without parsing."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

import numpy as np


class FrameTemplate:
    """The bytes of a message in which only some fields of fixed size vary.

    Protobuf writes a message of the same structure, with the same lengths, as the same bytes except
    for the values themselves. What varies is found by writing the message twice.

    Attributes:
        constants: What stands between the variable fields, before and after them.
        length: Bytes of the message.
        blank: The message, with zeros in its variable fields.
        starts: Where the variable fields begin.
        sizes: Their sizes, in bytes.
        layout: Sizes of constants and fields, as a format of `struct`.
    """

    def __init__(self, write: Callable[[int], bytes], sizes: Sequence[int]) -> None:
        """Find the fields.

        Args:
            write: Returns the message with every byte of every variable field set to a number.
            sizes: Bytes of each variable field, in the order of the wire.

        Raises:
            ValueError: They are not found as they should; such a message has no template.
        """
        first, second = (np.frombuffer(write(filler), np.uint8) for filler in (1, 2))
        if len(first) != len(second):
            raise ValueError("the length of the message depends on its values")
        varies = np.concatenate([[False], first != second, [False]])
        edges = np.flatnonzero(varies[1:] != varies[:-1])
        starts, ends = edges[::2], edges[1::2]
        if [int(size) for size in ends - starts] != list(sizes):
            raise ValueError("a field cannot be told from its neighbours")
        gaps = np.diff(np.concatenate([[0], edges, [len(first)]]))[::2]
        self.length = len(first)
        self.blank = bytes(np.where(varies[1:-1], 0, first).astype(np.uint8))
        self.starts = tuple(int(start) for start in starts)
        self.sizes = tuple(sizes)
        self.constants = tuple(
            bytes(first[start : start + gap])
            for start, gap in zip(np.concatenate([[0], ends]), gaps, strict=True)
        )
        layout = [f"{gaps[0]}s"]
        for size, gap in zip(sizes, gaps[1:], strict=True):
            layout += [f"{size}s", f"{gap}s"]
        self.layout = "".join(layout)
        self._unpack = struct.Struct(self.layout).unpack
        self._parts: list[bytes] = [b""] * (2 * len(sizes) + 1)
        self._parts[::2] = self.constants

    def split(self, frame: bytes) -> tuple[bytes, ...]:
        """Return constants and variable fields of a message of this length, in turn."""
        return self._unpack(frame)

    def join(self, fields: list[bytes]) -> bytes:
        """Return the message with these variable fields, each of its own size."""
        parts = self._parts
        parts[1::2] = fields
        return b"".join(parts)
