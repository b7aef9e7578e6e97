# SPDX-License-Identifier: GPL-2.0-only
"""Shared memory through which simulations of this process exchange messages with it."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Callable, Sequence
from typing import Any

from defiance_zoo.bridge.system.extension import exchange_module

_LISTENERS = 32


def post_batch(bell: int, *arguments: Any) -> None:
    """Post an answer for each of several simulations, without wake-ups; see `BatchedExchange`."""
    exchange_module().post_rows(bell, *arguments)


def take_batch(*arguments: Any) -> int:
    """Take requests of several simulations, and return their number; see `BatchedExchange`."""
    return int(exchange_module().take_rows(*arguments))


class _SharedMemory:
    """Memory that a simulation inherits.

    Attributes:
        descriptor: Descriptor of the memory.
        address: Address of the mapping.
    """

    def __init__(self, name: str, size: int) -> None:
        self.descriptor = os.memfd_create(name)
        try:
            os.ftruncate(self.descriptor, size)
            self.bytes = mmap.mmap(self.descriptor, size)
        except OSError:
            os.close(self.descriptor)
            raise
        self._anchor = ctypes.c_char.from_buffer(self.bytes)
        self.address = ctypes.addressof(self._anchor)

    def close(self) -> None:
        """Release the mapping, but keep the descriptor."""
        del self._anchor
        self.bytes.close()


class Doorbell:
    """Wakes several simulations at once, and lets simulations wake this process.

    Attributes:
        descriptor: Descriptor that simulations inherit.
    """

    def __init__(self) -> None:
        """Make the memory."""
        module = exchange_module()
        *_, size = module.layout()
        self._memory = _SharedMemory("defiance-doorbell", size)
        self.descriptor = self._memory.descriptor
        self.address = self._memory.address
        self._ring, self._await = module.ring, module.await_messages
        self._listeners = 0

    def add_listener(self) -> int:
        """Return the bit of a new simulation; more than 32 simulations share bits."""
        self._listeners += 1
        return 1 << (self._listeners % _LISTENERS)

    def ring(self) -> None:
        """Wake the simulations with new messages."""
        self._ring(self.address)

    def has_messages(self, count: int, addresses: Sequence[int]) -> bool:
        """Return whether a number of simulations has messages, or may have messages.

        Otherwise the simulation that completes this number wakes this process.

        Args:
            count: Number of simulations.
            addresses: Addresses of the mailboxes to look at.
        """
        return bool(self._await(self.address, count, *addresses))

    def close(self) -> None:
        """Release the memory."""
        os.close(self.descriptor)
        self._memory.close()


class Mailboxes:
    """One mailbox in each direction, in memory that a simulation shares.

    Attributes:
        descriptor: Descriptor that the simulation inherits; the caller closes it.
        capacity: Length of the longest message, in bytes.
        address: Address of the mapped memory.
        bell: Address of the bell's memory.
        before_close: Called when the memory is about to be released.
    """

    def __init__(self, bell: Doorbell) -> None:
        """Make the memory; the bell wakes the simulation."""
        module = exchange_module()
        size, listener, self.capacity, _ = module.layout()
        self._memory = _SharedMemory("defiance-mailboxes", size)
        self._memory.bytes[listener : listener + 4] = bell.add_listener().to_bytes(4, "little")
        self.descriptor, self.address = self._memory.descriptor, self._memory.address
        self.bell, self._close = bell.address, module.close
        self.before_close: Callable[[], None] = lambda: None

    def close(self) -> None:
        """Close the mailbox for further messages, and release the memory."""
        self.before_close()
        self._close(self.address, self.bell)
        self._memory.close()
