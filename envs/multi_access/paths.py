# SPDX-License-Identifier: GPL-2.0-only
"""The observation of the two paths of a user, and the reward of an interval."""

from __future__ import annotations

import math

PATHS = ("wifi", "lte")

ELEMENTS = (
    *(f"{path}_{each}" for path in PATHS for each in ("throughput", "delay", "lost", "backlog")),
    "sent",
    "delivered",
    "delay",
    "share",
)
"""Names of the elements of a user's observation."""
HIGHEST = [*([1000.0, 60.0, 1.0, 1000.0] * len(PATHS)), 1000.0, 1000.0, 60.0, 1.0]
"""Upper bounds of these elements, in Mb/s, s, shares and Mb; all of them are at least 0."""


def reward(throughput: float, delay: float, price: float) -> float:
    """Return the reward of an interval: log utility of throughput, less a price of delay.

    Delivered throughput is in Mb/s, and the mean time from sending to delivery in s.
    """
    return math.log1p(throughput) - price * delay
