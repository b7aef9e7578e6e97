# SPDX-License-Identifier: GPL-2.0-only
"""The pipes between this process and one simulation."""

from __future__ import annotations

import contextlib
import os
import select
import struct
from dataclasses import dataclass, field

from defiance_zoo.codec import MAX_MESSAGE_BYTES
from defiance_zoo.simulation.mailbox import Bell, Mailboxes

LENGTH = struct.Struct("=Q")
"""What precedes a message: its length."""

WHOLE_BYTES = select.PIPE_BUF - LENGTH.size
"""Longest message that a pipe takes as a whole, or not at all."""

_EMPTY = LENGTH.pack(0)
_LEAST_CHUNK_BYTES = 4 * 1024
_PIPE_BYTES = 64 * 1024


@dataclass
class Pipes:
    """Both directions of one conversation, and what of it has arrived.

    Attributes:
        reader: What this process reads.
        writer: What it writes to.
        theirs: What the simulation is to inherit.
        poller: Waits for messages and for output of the simulation.
        arrival: What `poller` says if a message has come and nothing else.
        received: What has been read, and is no whole message yet.
        mailboxes: Carry everything that follows the first answer, if there are any.
        answered: Whether the simulation has been sent something.
    """

    reader: int
    writer: int
    theirs: tuple[int, ...]
    poller: select.poll
    arrival: list[tuple[int, int]]
    received: bytearray = field(default_factory=bytearray)
    chunk_bytes: int = _LEAST_CHUNK_BYTES
    mailboxes: Mailboxes | None = None
    answered: bool = False

    @classmethod
    def open(cls, bell: Bell | None, spin_us: float) -> Pipes:
        """Make pipes, and with a bell mailboxes too.

        Args:
            bell: Wakes the simulation.
            spin_us: How long to look for a message before sleeping, in microseconds.

        Raises:
            OSError: No pipes or no memory could be had.
        """
        theirs: list[int] = []
        mailboxes = None
        with contextlib.ExitStack() as opened:
            their_reader, writer = _open_pipe(opened)
            reader, their_writer = _open_pipe(opened)
            os.set_blocking(writer, False)
            os.set_blocking(reader, False)
            theirs += (their_reader, their_writer)
            if bell is not None:
                theirs.append(os.dup(bell.descriptor))
                opened.callback(os.close, theirs[-1])
                mailboxes = Mailboxes(bell, spin_us)
                theirs.insert(2, mailboxes.descriptor)
            opened.pop_all()
        poller = select.poll()
        poller.register(reader, select.POLLIN)
        arrival = [(reader, select.POLLIN)]
        return cls(reader, writer, tuple(theirs), poller, arrival, mailboxes=mailboxes)

    def has_message(self) -> bool:
        """Tell whether a message has come, or its beginning."""
        if self.mailboxes is not None and self.answered and self.mailboxes.has_message():
            return True
        return bool(self.received)

    def has_news(self) -> bool:
        """Read what has come through the pipe, if it may only have been there to wake us.

        Returns:
            Whether there was more: a message, or the end of the connection.
        """
        if self.mailboxes is None:
            return True
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
        if self.mailboxes is not None:
            self.mailboxes.close()

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
