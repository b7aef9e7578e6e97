# SPDX-License-Identifier: GPL-2.0-only
"""Capacity traces in the two common formats: Mahimahi's, and two columns as Pensieve's."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from defiance_zoo.bridge.system.extension import exchange_module
from defiance_zoo.bridge.system.reading import read_bytes

_MOST_BYTES = 2**26
"""The limit of `CapacityTrace` in C++, too."""


def read_capacity_trace(path: Path | str) -> list[int]:
    """Return the times in ms at which a trace may deliver 1500 bytes, as simulations read it.

    Args:
        path: A file in Mahimahi's format, with a time in each line; or with two columns, time in s
            and capacity in Mb/s, which holds since the time in the line before.
    """
    times: list[int] = np.frombuffer(
        exchange_module().parse_trace(read_bytes(Path(path), _MOST_BYTES)), np.uint32
    ).tolist()
    return times
