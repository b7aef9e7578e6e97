# SPDX-License-Identifier: GPL-2.0-only
"""Processor time of simulations."""

from __future__ import annotations

import contextlib

import psutil


def processor_time_s() -> float:
    """Return the processor time of this process and of its simulations, in seconds."""
    own = psutil.Process()
    total = 0.0
    for process in (own, *own.children(recursive=True)):
        with contextlib.suppress(psutil.Error):
            total += sum(process.cpu_times()[:4])  # user, system, ended children's
    return total
