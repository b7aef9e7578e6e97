# SPDX-License-Identifier: GPL-2.0-only
"""The day that traffic follows, what agents observe, and what an interval is worth."""

from __future__ import annotations

import math
from typing import NamedTuple

HOURS = 24.0
QUIETEST = 5.0
"""Hour of least traffic; the most is half a day later."""
NIGHT = 0.1
"""Least share of the largest traffic."""

ELEMENTS = (
    "awake",
    "load",
    "users",
    "served",
    "network_load",
    "network_unserved",
    "hour_sine",
    "hour_cosine",
)
"""Names of what is observed of a cell."""
LOWEST = [0.0, 0.0, 0.0, 0.0, 0.0, -2.0, -1.0, -1.0]
HIGHEST = [1.0, 1.0, 1.0, 2.0, 1.0, 2.0, 1.0, 1.0]
"""Bounds of these elements."""


def find_share(hour: float) -> float:
    """Return the share of the largest traffic that there is at an hour, from `NIGHT` to 1."""
    swing = (1 - math.cos(2 * math.pi * (hour - QUIETEST) / HOURS)) / 2
    return NIGHT + (1 - NIGHT) * swing


class Prices(NamedTuple):
    """The value of an interval.

    Attributes:
        unserved: Price of traffic that is not served; served traffic is worth 1.
        energy: Energy of the energy that all cells consume when they send in each subframe.
    """

    unserved: float
    energy: float

    def reward(self, served: float, offered: float, energy: float) -> float:
        """Return the reward of an interval.

        Args:
            served: Traffic that has arrived, as a share of the largest traffic.
            offered: Traffic that was sent, as a share of the largest traffic.
            energy: Energy, as a share of the largest energy.
        """
        return served - self.unserved * (offered - served) - self.energy * energy
