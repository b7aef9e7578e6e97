# SPDX-License-Identifier: GPL-2.0-only
"""The pipes between this process and one simulation."""

from __future__ import annotations

import contextlib
import os
import select
import struct
from dataclasses import dataclass, field

from defiance_zoo.bridge.codec import MAX_MESSAGE_BYTES

LENGTH = struct.Struct("=Q")
"""The length of a message, which precedes it."""

WHOLE_BYTES = select.PIPE_BUF - LENGTH.size
"""Longest message that is written to a pipe atomically."""

_EMPTY = LENGTH.pack(0)
_LEAST_CHUNK_BYTES = 4 * 1024
_PIPE_BYTES = 64 * 1024


@dataclass
class Pipes:
    """Both pipes of one conversation, and the received bytes.

    Attributes:
        reader: Descriptor from which this process reads.
        writer: Descriptor to which this process writes.
        theirs: Descriptors that the simulation inherits.
        poller: Waits for messages and for output of the simulation.
        arrival: Result of `poller` if only a message has arrived.
        received: Bytes of an incomplete message.
    """

    reader: int
    writer: int
    theirs: tuple[int, ...]
    poller: select.poll
    arrival: list[tuple[int, int]]
    received: bytearray = field(default_factory=bytearray)
    chunk_bytes: int = _LEAST_CHUNK_BYTES

    @classmethod
    def open(cls) -> Pipes:
        """Make pipes.

        Raises:
            OSError: The pipes could not be opened.
        """
        with contextlib.ExitStack() as opened:
            their_reader, writer = _open_pipe(opened)
            reader, their_writer = _open_pipe(opened)
            os.set_blocking(writer, False)
            os.set_blocking(reader, False)
            opened.pop_all()
        poller = select.poll()
        poller.register(reader, select.POLLIN)
        return cls(reader, writer, (their_reader, their_writer), poller, [(reader, select.POLLIN)])

    def has_more_than_a_wake_up(self) -> bool:
        """Read data that may only be a wake-up.

        Returns:
            Whether there was a message, or the end of the connection, as well.
        """
        chunk = os.read(self.reader, self.chunk_bytes)
        self.received += chunk
        while self.received.startswith(_EMPTY):
            del self.received[: LENGTH.size]
        return not chunk or bool(self.received)

    def read(self) -> bytes | None:
        """Read received data; return the next message if it is complete.

        Raises:
            EOFError: The connection has ended.
            ValueError: The message is too long.
        """
        chunk = os.read(self.reader, self.chunk_bytes)
        if not chunk:
            raise EOFError
        length = max(len(chunk) - LENGTH.size, 0)
        if not self.received and chunk.startswith(LENGTH.pack(length)):
            return chunk[LENGTH.size :]
        self.received += chunk
        return self.take()

    def take(self) -> bytes | None:
        """Return the next message if it is complete.

        Raises:
            ValueError: The message is too long.
        """
        received = self.received
        if len(received) < LENGTH.size:
            return None
        (length,) = LENGTH.unpack_from(received)
        if length > MAX_MESSAGE_BYTES:
            raise ValueError(f"a message of {length} bytes; at most {MAX_MESSAGE_BYTES} allowed")
        end: int = LENGTH.size + length
        self.chunk_bytes = max(_LEAST_CHUNK_BYTES, min(end, _PIPE_BYTES))
        if len(received) < end:
            return None
        message = bytes(memoryview(received)[LENGTH.size : end])
        del received[:end]
        return message

    def close(self) -> None:
        """Close everything."""
        self.close_theirs()
        for descriptor in (self.reader, self.writer):
            os.close(descriptor)

    def close_theirs(self) -> None:
        """Close the ends that the simulation has inherited."""
        descriptors, self.theirs = self.theirs, ()
        for descriptor in descriptors:
            os.close(descriptor)


def _open_pipe(opened: contextlib.ExitStack) -> tuple[int, int]:
    """Return both ends of a pipe, which are closed after an error."""
    ends = os.pipe()
    for end in ends:
        opened.callback(os.close, end)
    return ends
