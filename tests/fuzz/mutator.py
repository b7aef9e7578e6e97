# SPDX-License-Identifier: GPL-2.0-only
"""Make inputs from others, deterministic for a seed; `cpp/fuzz/mutator.cc` does the same."""

from __future__ import annotations

import random
from collections.abc import Sequence

MAX_SIZE = 96 * 1024

# Lengths with a change of behaviour: signs, sizes of types, mailboxes, limits of protobuf.
_NUMBERS = (0, 1, 2, 7, 8, 9, 2**7, 2**8, 2**16, 2**28, 2**31, 2**32, 2**33, 2**63, 2**64)


class Mutator:
    """A mutator that changes inputs of a corpus in a few places."""

    def __init__(self, seed: int, corpus: Sequence[bytes]) -> None:
        self._random = random.Random(seed)
        self._corpus = corpus

    def next(self) -> bytes:
        data = bytearray(self._random.choice(self._corpus))
        for _ in range(self._random.randrange(6)):
            self._mutate(data)
        return bytes(data[:MAX_SIZE])

    def _mutate(self, data: bytearray) -> None:
        rng = self._random
        if not data:
            data.append(rng.randrange(256))
            return
        place = rng.randrange(len(data))
        end = min(place + 1 + rng.randrange(32), len(data))
        match rng.randrange(9):
            case 0 | 1:
                data[place] ^= 1 << rng.randrange(8)
            case 2:
                data[place] = rng.randrange(256)
            case 3:
                del data[place:end]
            case 4:
                data[place:place] = data[place:end]
            case 5:
                del data[place:]
            case 6:
                other = rng.choice(self._corpus)
                data[place:place] = other[rng.randrange(len(other) + 1) :]
            case 7:
                data[place:place] = _varint(self._number())
            case _:
                size = min(1 << rng.randrange(4), len(data))
                place = rng.randrange(len(data) - size + 1)
                data[place : place + size] = self._number().to_bytes(8, "little")[:size]

    def _number(self) -> int:
        number = self._random.choice(_NUMBERS) + self._random.randrange(3) - 1
        return int(number % 2**64)


def _varint(number: int) -> bytes:
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes([*data, number])
