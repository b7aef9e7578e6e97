# SPDX-License-Identifier: GPL-2.0-only
"""Seeds: from `reset(seed=...)` to ns-3's seed and run number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

_LARGEST_RNG_SEED = 4294944442
"""Seeds of ns-3's MRG32k3a lie below its second modulus, 4294944443 (L'Ecuyer et al. 2002)."""


@dataclass(frozen=True)
class RngState:
    """ns-3's global values `RngSeed` and `RngRun`."""

    seed: int
    run: int


class Seeding:
    """The sequence of seeds of one environment.

    A seed `s` becomes an ns-3 seed through NumPy's `SeedSequence`, because the generator is
    linear: neighbouring seeds would give correlated streams. Each episode without its own seed
    takes the next run number, which ns-3 keeps independent by construction. `current` has seed and
    run of the current episode: a new object for each episode.
    """

    def __init__(self) -> None:
        self.current: RngState | None = None
        self._given: int | None = None
        self.drawn: dict[str, Any] = {}

    def episode(self, seed: int | None) -> RngState:
        """Return seed and run of the next episode.

        A seed begins a new sequence. None continues the current one, which begins with a seed from
        the operating system.
        """
        if seed is None and self.current is not None:
            self.current = RngState(self.current.seed, self.current.run + 1)
        else:
            self.current = RngState(rng_seed(seed), 1)
            self._given = seed
        return self.current

    def return_to(self, state: RngState, *, again: bool) -> None:
        """Set the counter to an earlier episode or, to play it `again`, to the one before it."""
        self.current = RngState(state.seed, state.run - again)

    def describe(self) -> str:
        """Describe the seed of the current episode; empty before the first one."""
        if self.current is None:
            return ""
        if self._given is None or rng_seed(self._given) != self.current.seed:
            return f"seed {self.current.seed} and run {self.current.run} of ns-3"
        later = self.current.run - 1
        return f"seed {self._given}" + (
            f", {later} reset{'s' * (later > 1)} later" if later else ""
        )


def rng_seed(seed: int | None) -> int:
    """Return the ns-3 seed, in [1, 4294944442], that belongs to a seed of `reset()`."""
    word = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    return word % _LARGEST_RNG_SEED + 1
