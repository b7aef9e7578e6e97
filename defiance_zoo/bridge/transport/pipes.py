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
"""Longest message that a pipe takes as a whole, or not at all."""

_EMPTY = LENGTH.pack(0)
_LEAST_CHUNK_BYTES = 4 * 1024
_PIPE_BYTES = 64 * 1024


@dataclass
class Pipes:
    """Both directions of one conversation, and what of it has arrived.

    Attributes:
        reader: Descriptor that this process reads.
        writer: Descriptor that it writes to.
        theirs: Descriptors that the simulation inherits.
        poller: Waits for messages and for output of the simulation.
        arrival: The result of `poller` for a message alone.
        received: Bytes that have been read, and are no whole message yet.
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
            OSError: None could be had.
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
        """Read what has come, if it may only have been there to wake this process.

        Returns:
            Whether there was more: a message, or the end of the connection.
        """
        chunk = os.read(self.reader, self.chunk_bytes)
        self.received += chunk
        while self.received.startswith(_EMPTY):
            del self.received[: LENGTH.size]
        return not chunk or bool(self.received)

    def read(self) -> bytes | None:
        """Take what has arrived; return the next message, if it has arrived as a whole.

        Raises:
            EOFError: The connection has ended.
            ValueError: The message is longer than messages may be.
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
        """Return the next message, if it has arrived as a whole.

        Raises:
            ValueError: It is longer than messages may be.
        """
        received = self.received
        if len(received) < LENGTH.size:
            return None
        (length,) = LENGTH.unpack_from(received)
        if length > MAX_MESSAGE_BYTES:
            raise ValueError(f"a message of {length} bytes, where {MAX_MESSAGE_BYTES} are possible")
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
        """Close what the simulation has inherited."""
        descriptors, self.theirs = self.theirs, ()
        for descriptor in descriptors:
            os.close(descriptor)


def _open_pipe(opened: contextlib.ExitStack) -> tuple[int, int]:
    """Return both ends of a pipe, which are closed unless all goes well."""
    ends = os.pipe()
    for end in ends:
        opened.callback(os.close, end)
    return ends
