# SPDX-License-Identifier: GPL-2.0-only
"""The daily traffic, the observation of a cell, and the reward of an interval."""

from __future__ import annotations

import math
from typing import NamedTuple

HOURS = 24.0
QUIETEST = 5.0
"""Hour of minimum traffic; the maximum is half a day later."""
NIGHT = 0.1
"""Minimum traffic, as a share of the maximum."""

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
"""Names of the elements of a cell's observation."""
LOWEST = [0.0, 0.0, 0.0, 0.0, 0.0, -2.0, -1.0, -1.0]
HIGHEST = [1.0, 1.0, 1.0, 2.0, 1.0, 2.0, 1.0, 1.0]
"""Bounds of these elements."""
SIGNALS = ("efficiency", "lead")
"""Names of the elements that `observation="signals"` adds; from 0 to 1 and from -1 to 1."""

_NOISE = -174.0 + 10 * math.log10(15_000) + 9.0
"""Noise of a resource element in dBm: thermal noise in 15 kHz, and a noise figure of 9 dB."""
_GAP = -math.log(5 * 5e-5) / 1.5
"""SINR gap of modulation and coding at a bit error rate of 5e-5 (Piro et al. 2011)."""
_MOST = 5.55
"""Spectral efficiency of the largest channel quality indicator, in bit/s/Hz."""


def find_efficiency(rsrp: float) -> float:
    """Return the spectral efficiency of a link without interference, as a share of the maximum.

    By ns-3's rule for modulation, log2(1 + SNR / gap), with the gap of Piro et al. (2011), "An LTE
    module for the ns-3 network simulator". `rsrp` is the power of a resource element, in dBm.
    """
    snr = 10 ** ((rsrp - _NOISE) / 10)
    return min(math.log2(1 + snr / _GAP) / _MOST, 1.0)


def find_share(hour: float) -> float:
    """Return the traffic at an hour as a share of the maximum, from `NIGHT` to 1."""
    swing = (1 - math.cos(2 * math.pi * (hour - QUIETEST) / HOURS)) / 2
    return NIGHT + (1 - NIGHT) * swing


class Prices(NamedTuple):
    """The value of an interval.

    Attributes:
        unserved: Price of unserved traffic; served traffic has the reward 1.
        energy: Price of the energy that all cells consume when they send in each subframe.
    """

    unserved: float
    energy: float

    def reward(self, served: float, offered: float, energy: float) -> float:
        """Return the reward of an interval.

        Args:
            served: Arrived traffic, as a share of the maximum traffic.
            offered: Sent traffic, as a share of the maximum traffic.
            energy: Energy, as a share of the maximum energy.
        """
        return served - self.unserved * (offered - served) - self.energy * energy
