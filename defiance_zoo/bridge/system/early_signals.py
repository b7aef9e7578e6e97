# SPDX-License-Identifier: GPL-2.0-only
"""Signals that arrive while the command `defiance-zoo` is loaded, which takes most of a second."""

import os
import signal
import sys


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
