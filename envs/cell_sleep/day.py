# SPDX-License-Identifier: GPL-2.0-only
"""The daily traffic, the observation of a cell, and the reward of an interval."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

HOURS = 24.0
QUIETEST = 5.0
"""Hour of minimum traffic; the maximum is half a day later."""
NIGHT = 0.1
"""Minimum traffic, as a share of the maximum."""

Element = tuple[str, float, float]
"""Name and bounds of an element of an observation."""

ELEMENTS: list[Element] = [
    ("awake", 0.0, 1.0),
    ("load", 0.0, 1.0),
    ("users", 0.0, 1.0),
    ("served", 0.0, 2.0),
    ("network_load", 0.0, 1.0),
    ("network_unserved", -2.0, 2.0),
    ("hour_sine", -1.0, 1.0),
    ("hour_cosine", -1.0, 1.0),
]
"""A cell's observation."""
SIGNALS: list[Element] = [("efficiency", 0.0, 1.0), ("lead", -1.0, 1.0)]
"""Elements that `observation="signals"` and `"traffic"` add."""
PRICES: list[Element] = [
    ("energy_price", 0.0, 100.0),
    ("unserved_price", 0.0, 100.0),
    ("demand", 0.0, 20.0),
]
"""Elements that `observation="traffic"` adds after those of each user."""
LOWEST_SNR = -2.0
"""Observed ratio of signal to noise in a cell that a user has not reported, in units of 10 dB."""


def list_elements(observation: str, users: int) -> list[Element]:
    """Return the elements of a cell's observation."""
    if observation == "loads":
        return ELEMENTS
    if observation == "signals":
        return ELEMENTS + SIGNALS
    snrs = [(f"user_snr_{user}", LOWEST_SNR, 10.0) for user in range(users)]
    traffic = [(f"user_traffic_{user}", 0.0, 2.0) for user in range(users)]
    return [*ELEMENTS, *SIGNALS, *snrs, *traffic, *PRICES]


_NOISE = -174.0 + 10 * math.log10(15_000) + 9.0
"""Noise of a resource element in dBm: thermal noise in 15 kHz, and a noise figure of 9 dB."""
GAP = -math.log(5 * 5e-5) / 1.5
"""SINR gap of modulation and coding at a bit error rate of 5e-5 (Piro et al. 2011)."""
_MOST = 5.55
"""Spectral efficiency of the largest channel quality indicator, in bit/s/Hz."""


def find_snr(rsrp: float) -> float:
    """Return the ratio of signal to noise at a power of a resource element in dBm."""
    return 10 ** ((rsrp - _NOISE) / 10)


def find_efficiency(sinrs: Any, gap: float = GAP) -> Any:
    """Return the spectral efficiency of links, as a share of the maximum.

    It is log2(1 + SINR / gap), by default with the gap of Piro et al. (2011), "An LTE module for
    the ns-3 network simulator". `sinrs` are ratios of signal to interference and noise.
    """
    return np.minimum(np.log2(1 + sinrs / gap) / _MOST, 1.0)


def find_capacity(resource_blocks: int) -> float:
    """Return the rate of a cell in bit/s at the efficiency 1.

    A resource block has 12 subcarriers, and in each millisecond 11 symbols with data.
    """
    return 1000 * 12 * 11 * _MOST * resource_blocks


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
