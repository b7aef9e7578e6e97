# SPDX-License-Identifier: GPL-2.0-only
"""Messages that differ in numbers of fixed size alone, read and written without parsing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from defiance_zoo.bridge.system.extension import exchange_module


class MessageTemplate:
    """The bytes of a message in which only some fields of fixed size vary.

    Protobuf writes a message of the same structure, with the same lengths, as the same bytes except
    for the values themselves. What varies is found by writing the message twice.

    Attributes:
        length: Bytes of the message.
        blank: The message, with zeros in its fields.
        fields: Where the fields begin, and their sizes in bytes.
        constants: What does not vary, one part after the other.
        split: From a message of this length to its constants and fields: a tuple of bytes.
            ValueError: the message has another length.
        join: From bytes for each field, an argument each, to the message. ValueError: a value has
            another size than its field.
        handle: What other functions of the extension module know the template by.
    """

    def __init__(self, write: Callable[[int], bytes], sizes: Sequence[int]) -> None:
        """Find the fields.

        Args:
            write: Returns the message with every byte of every field set to a number.
            sizes: Bytes of each field, in the order of the wire.

        Raises:
            ValueError: They are not found as they should; such a message has no template.
        """
        first, second = (np.frombuffer(write(filler), np.uint8) for filler in (1, 2))
        if len(first) != len(second):
            raise ValueError("the length of the message depends on its values")
        varies = np.concatenate([[False], first != second, [False]])
        starts, ends = np.flatnonzero(varies[1:] != varies[:-1]).reshape(-1, 2).T
        if [int(size) for size in ends - starts] != list(sizes):
            raise ValueError("a field cannot be told from its neighbours")
        self.length = len(first)
        self.blank = bytes(np.where(varies[1:-1], 0, first).astype(np.uint8))
        self.fields = tuple(zip(starts.tolist(), sizes, strict=True))
        module = exchange_module()
        self.handle = module.template(self.blank, np.array(self.fields, np.uint64).tobytes())
        # Without a frame of Python's in between: they are called at each step.
        self.split: Callable[[bytes], tuple[bytes, ...]] = partial(module.split, self.handle)
        self.join: Callable[..., bytes] = partial(module.join, self.handle)
        self.constants = self.split(self.blank)[0]
