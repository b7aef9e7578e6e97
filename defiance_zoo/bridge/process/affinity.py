# SPDX-License-Identifier: GPL-2.0-only
"""The cores of simulations and of the thread that drives them."""

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
    """Assigns the simulations of one environment to cores.

    The conversation with a simulation is lockstep: only one side has work at a time, and waking
    another core takes longer than the exchange. So `shared` puts a simulation and its driving
    thread on one core. `spread` gives each environment a core in turn and leaves the thread
    unchanged, for simulations whose computation takes longer than the exchange.
    """

    def __init__(self, affinity: Affinity) -> None:
        self._affinity = affinity
        self._core: int | None = None
        self._thread = 0
        self._before: set[int] = set()

    def place(self, pid: int) -> None:
        """Put a simulation and, with `shared`, the calling thread on its core."""
        if self._affinity == "free":
            return
        allowed = sorted(os.sched_getaffinity(0))
        if self._core is None:
            self._core = allowed[next(_numbers) % len(allowed)]
        if self._affinity == "shared" and len(allowed) > 1:
            self._thread, self._before = threading.get_native_id(), set(allowed)
            os.sched_setaffinity(0, {self._core})
        with contextlib.suppress(ProcessLookupError):  # the next wait reports its end
            os.sched_setaffinity(pid, {self._core})

    def disown(self) -> None:
        """In a fork, restore the cores of its thread, and leave the parent's thread unchanged."""
        self._thread = 0
        self.release()

    def release(self) -> None:
        """Restore the thread's cores; may be called again."""
        before, self._before = self._before, set()
        if before:
            with contextlib.suppress(OSError):  # the thread has ended
                os.sched_setaffinity(self._thread, before)
