# SPDX-License-Identifier: GPL-2.0-only
"""The signal at which a process reports its simulated time and its running lines."""

from __future__ import annotations

import faulthandler
import signal

SHOW = signal.SIGRTMIN + 9
"""At this signal, C++ writes the simulated time, and Python writes its running lines."""


def show_stack_on_signal() -> None:
    """At the signal, write this process's running Python lines to the standard error."""
    faulthandler.register(SHOW, file=2, all_threads=False)


def heeds_signal(pid: int) -> bool:
    """Return whether a process handles the signal, which would otherwise end it."""
    try:
        with open(f"/proc/{pid}/status", errors="replace") as status:  # noqa: PTH123
            fields = dict(line.split(":", 1) for line in status if ":" in line)
    except OSError:  # it has ended
        return False
    is_stopped = fields.get("State", "").strip()[:1] in ("T", "t", "Z")
    return not is_stopped and bool(int(fields.get("SigCgt", "0"), 16) >> (SHOW - 1) & 1)
