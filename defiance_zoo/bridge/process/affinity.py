# SPDX-License-Identifier: GPL-2.0-only
"""On which cores simulations, and the thread that drives them, run."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
from collections.abc import Iterator
from typing import Literal

Affinity = Literal["free", "shared", "spread"]

_numbers: Iterator[int] = itertools.count()


class Cores:
    """Keeps the simulations of one environment where they belong.

    The conversation with a simulation is lockstep: only one side has work at a time, and waking
    another core takes longer than the exchange. So `shared` puts a simulation and the thread that
    drives it on one core. `spread` gives each environment a core in turn and leaves the thread
    alone, for simulations that have more to do than the exchange.
    """

    def __init__(self, affinity: Affinity) -> None:
        """Decide nothing before the first simulation."""
        self._affinity = affinity
        self._core: int | None = None
        self._thread = 0
        self._before: set[int] = set()

    def place(self, pid: int) -> None:
        """Put a simulation, and with `shared` the calling thread, on its core."""
        if self._affinity == "free":
            return
        allowed = sorted(os.sched_getaffinity(0))
        if self._core is None:
            self._core = allowed[next(_numbers) % len(allowed)]
        if self._affinity == "shared" and len(allowed) > 1:
            self._pin_thread(set(allowed))
        with contextlib.suppress(ProcessLookupError):  # who waits for it will learn that
            os.sched_setaffinity(pid, {self._core})

    def _pin_thread(self, allowed: set[int]) -> None:
        assert self._core is not None
        self._thread, self._before = threading.get_native_id(), allowed
        os.sched_setaffinity(0, {self._core})

    def disown(self) -> None:
        """In a fork, let its thread run where the parent's ran before, and leave that one alone."""
        self._thread = 0
        self.release()

    def release(self) -> None:
        """Let the thread run where it ran before; may be called again."""
        before, self._before = self._before, set()
        if before:
            with contextlib.suppress(OSError):  # the thread has ended
                os.sched_setaffinity(self._thread, before)
