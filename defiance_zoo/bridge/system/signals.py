# SPDX-License-Identifier: GPL-2.0-only
"""Signals: ends of the command while it loads, and reports of running lines."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys

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


def end_quietly() -> None:
    """Let SIGINT and SIGTERM end this process without a traceback, if it is the command.

    Nothing has begun yet. The status is the one of an interrupted command.
    """
    name = os.path.basename(sys.argv[0]) if sys.argv else ""  # noqa: PTH119 (loads quickly)
    if name != "defiance-zoo" and not (name == "-m" and "defiance_zoo" in sys.orig_argv):
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _frame: os._exit(128 + number))
