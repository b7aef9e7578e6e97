# SPDX-License-Identifier: GPL-2.0-only
"""A clock for time limits, which stands still while this process is stopped.

Ctrl-Z, `scontrol suspend` and a suspended computer stop this process. Meanwhile it receives no
messages, so this time does not count for the time limits of others. The kernel does not report such
stops: this clock recognises them as long pauses between two readings. Each wait therefore reads the
clock at least once in `SLICE_S`.
"""

from __future__ import annotations

import math
import time

SLICE_S = 1.0
"""The longest wait between two readings of the clock, in seconds."""

_STOPPED_S = 2 * SLICE_S
"""The shortest pause between two readings that counts as a stop of this process, in seconds."""

_read_at, _time = time.monotonic(), 0.0


def running_time() -> float:
    """Return the running time of this process in seconds, for differences only."""
    global _read_at, _time
    now = time.monotonic()
    pause, _read_at = now - _read_at, now
    if pause < _STOPPED_S:
        _time += pause
    return _time


def slice_ms(left_s: float) -> int:
    """Return the timeout of the next `poll()` in a wait of `left_s` seconds, in milliseconds."""
    return math.ceil(max(min(left_s, SLICE_S), 0.0) * 1000)  # rounded up: no busy waiting
