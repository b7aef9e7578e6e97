# SPDX-License-Identifier: GPL-2.0-only
"""Random numbers of a replica; their number is the whole state."""

from __future__ import annotations

import hashlib
import random
from typing import Any

from defiance_zoo.scenario.native import core

_WORD = 64


class Draws(random.Random):
    """A stream determined by the seed of the episode, a replica and a number.

    Each random number is a hash of these and of a count. So equal counts mean equal futures, even
    after different histories.

    Attributes:
        count: Number of drawn words of 64 bits.
    """

    count: int

    def __init__(self, replica: int, stream: int) -> None:
        """Begin a stream of a replica."""
        self._stream = replica, stream
        self.count = 0
        self._key = b""
        super().__init__(0)

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Restart the stream; a seed from code under test selects another stream."""
        key = (core.seed(), self._stream, a if isinstance(a, int | str | bytes) else None)
        self._key = repr(key).encode()
        self.gauss_next = None

    def getrandbits(self, k: int) -> int:
        """Return an integer of `k` random bits."""
        words = max(1, -(-k // _WORD))
        drawn = 0
        for _ in range(words):
            drawn = drawn << _WORD | self._draw()
        return drawn >> words * _WORD - k

    def random(self) -> float:
        """Return a number from 0 up to, but not including, 1."""
        return (self._draw() >> 11) * 2.0**-53

    def randbytes(self, n: int) -> bytes:
        """Return random bytes."""
        return self.getrandbits(8 * n).to_bytes(n, "little")

    def _draw(self) -> int:
        self.count += 1
        key = b"%s/%d" % (self._key, self.count)
        return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "little")
