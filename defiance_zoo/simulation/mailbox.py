# SPDX-License-Identifier: GPL-2.0-only
"""Shared memory through which a spinning pair of processes exchanges messages."""

from __future__ import annotations

import ctypes
import functools
import mmap
import os

from defiance_zoo.simulation.scenario import NATIVE


class _Library:
    """`libdefiance-mailbox.so`: what needs the atomic operations that Python has not."""

    def __init__(self) -> None:
        library = ctypes.CDLL(str(NATIVE / "lib" / "libdefiance-mailbox.so"))
        layout = [ctypes.c_uint64() for _ in range(4)]
        library.defiance_mailbox_layout(*map(ctypes.byref, layout))
        self.size, self.capacity, self.outbox, self.inbox = (each.value for each in layout)
        memory, length, seen = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64
        self.post = library.defiance_mailbox_post
        self.post.argtypes = [memory, length, ctypes.c_int]
        self.post.restype = None
        self.wait = library.defiance_mailbox_wait
        self.wait.argtypes = [memory, seen, ctypes.c_double]
        self.wait.restype = ctypes.c_int64
        self.exchange = library.defiance_mailbox_exchange
        self.exchange.argtypes = [memory, length, ctypes.c_int, seen, ctypes.c_double]
        self.exchange.restype = ctypes.c_int64


_library = functools.cache(_Library)


class Mailboxes:
    """One mailbox in each direction, in memory that a simulation shares.

    Attributes:
        descriptor: What the simulation inherits; to be closed by the caller.
        capacity: Length of the longest message, in bytes.
    """

    def __init__(self, pipe: int, spin_us: float) -> None:
        """Make the memory.

        Args:
            pipe: Descriptor of a pipe; an empty message in it wakes the simulation.
            spin_us: How long to look for a message before sleeping, in microseconds.
        """
        library = _library()
        # What never changes is converted for C once.
        self._pipe, self._spin_us = ctypes.c_int(pipe), ctypes.c_double(spin_us)
        self.capacity = library.capacity
        self.descriptor = os.memfd_create("defiance-mailboxes")
        os.ftruncate(self.descriptor, library.size)
        self._memory = mmap.mmap(self.descriptor, library.size)
        self._anchor = ctypes.c_char.from_buffer(self._memory)
        self._address = ctypes.c_void_p(ctypes.addressof(self._anchor))
        self._outbox, self._inbox = library.outbox, library.inbox
        self._library = library
        self._read = 0

    def post(self, message: bytes) -> None:
        """Leave a message of at most `capacity` bytes, and wake the simulation if it sleeps."""
        length = len(message)
        self._memory[self._outbox : self._outbox + length] = message
        self._library.post(self._address, length, self._pipe)

    def take(self) -> bytes | None:
        """Look for a message for a while; if None comes, the simulation will wake this process."""
        return self._taken(self._library.wait(self._address, self._read, self._spin_us))

    def has_message(self) -> bool:
        """Look for a message, without taking it; if there is none, it will wake this process."""
        return bool(self._library.wait(self._address, self._read, 0.0) >= 0)

    def exchange(self, message: bytes) -> bytes | None:
        """Do both, `post()` and `take()`, in one call."""
        length = len(message)
        self._memory[self._outbox : self._outbox + length] = message
        return self._taken(
            self._library.exchange(self._address, length, self._pipe, self._read, self._spin_us)
        )

    def _taken(self, length: int) -> bytes | None:
        if length < 0:
            return None
        self._read += 1
        return self._memory[self._inbox : self._inbox + length]

    def close(self) -> None:
        """Release the memory."""
        del self._anchor
        self._memory.close()
