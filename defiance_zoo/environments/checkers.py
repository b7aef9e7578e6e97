# SPDX-License-Identifier: GPL-2.0-only
"""Messages for checkers of other projects, whose own failures do not explain the cause."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable
from types import FrameType

from defiance_zoo.errors import UnevenDecisions

CHECKERS_PAGE = "docs/coming-from/pettingzoo.md#checkers"
"""The page about checkers that pass or fail, for messages."""

_MAX_CYCLES_TEST = "pettingzoo.test.max_cycles_test"


def require_cycles(max_cycles: int | None, cycles: Iterable[int], over: bool, what: str) -> None:
    """Explain the failure of PettingZoo's `max_cycles_test`, whose assertions have no message.

    Outside of this test, the function does nothing.
    """
    if max_cycles is None:
        return
    counts = list(cycles)
    most = max(counts, default=0)
    if most <= max_cycles and not over:
        return
    if over and most == max_cycles == statistics.median(counts):
        return
    if _is_running(_MAX_CYCLES_TEST):
        raise UnevenDecisions(
            f"PettingZoo's max_cycles_test expects each agent to decide in each cycle; here each "
            f"agent decides at its own times: {what} {counts}, where max_cycles={max_cycles}. "
            f"See {CHECKERS_PAGE}"
        )


def _is_running(module: str) -> bool:
    """Return whether a function of a module is among the callers."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__") == module:
            return True
        frame = frame.f_back
    return False
