# SPDX-License-Identifier: GPL-2.0-only
"""Situations of an exchange: both processes' cores, and the kind of wait."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from benchmarks.measuring.processes import only_simulation

SPIN_US = 50
CORES = frozenset(os.sched_getaffinity(0))
"""The cores of this process."""


@dataclass(frozen=True)
class Situation:
    """A link and a placement of processes on cores.

    Attributes:
        link: A kind of link, or `spin`: a local link whose sides spin before they sleep.
        placement: The cores of Python and its simulation: the kernel's choice, a common core, or a
            core for each. The kernel's choice differs between runs, and may change during a run.
    """

    link: Literal["zmq", "local", "spin"]
    placement: Literal["unpinned", "one core", "a core each"]

    @property
    def name(self) -> str:
        """The name in tables."""
        return f"{self.link}, {self.placement}"

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of environments in the situation."""
        spin = {"link": "local", "spin_us": SPIN_US}
        return spin if self.link == "spin" else {"link": self.link}

    @contextlib.contextmanager
    def placed(self) -> Iterator[None]:
        """Run the body, and processes started in it, on Python's cores.

        The body must make and close the environment, because its fork server inherits the cores.
        """
        with on_cores(CORES if self.placement == "unpinned" else {min(CORES)}):
            yield

    def settle(self, peer: int | None = None) -> None:
        """Move the other process to its cores.

        Args:
            peer: Process id; None for the only simulation.
        """
        if self.placement == "a core each":
            peer = only_simulation().pid if peer is None else peer
            _move(peer, {max(CORES)})


@contextlib.contextmanager
def on_cores(cores: Iterable[int]) -> Iterator[None]:
    """Run the body, and processes started in it, only on some cores."""
    before = os.sched_getaffinity(0)
    _move(os.getpid(), cores)
    try:
        yield
    finally:
        _move(os.getpid(), before)


def _move(process: int, cores: Iterable[int]) -> None:
    for thread in os.listdir(f"/proc/{process}/task"):  # noqa: PTH208 (names, not paths)
        with contextlib.suppress(ProcessLookupError):  # the process may have ended
            os.sched_setaffinity(int(thread), cores)


LINKS: tuple[Literal["zmq", "local", "spin"], ...] = ("zmq", "local", "spin")
UNPINNED = tuple(Situation(link, "unpinned") for link in LINKS)
ONE_CORE = tuple(Situation(link, "one core") for link in LINKS)
CORE_EACH = tuple(Situation(link, "a core each") for link in LINKS if len(CORES) > 1)
