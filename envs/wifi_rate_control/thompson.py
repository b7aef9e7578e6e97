# SPDX-License-Identifier: GPL-2.0-only
"""Thompson sampling as in ns-3's `ThompsonSamplingWifiManager`, frame by frame.

For each rate, it keeps the numbers of acknowledged and unacknowledged frames, which decay by
e^(-decay t). After each report it draws a success probability for each rate, in order, from Beta(1
+ acknowledged, 1 + not acknowledged), with both numbers truncated to integers. It takes the rate
with the largest product of this probability and the data rate (Krotov, Kiryanov and Khorov, "Rate
control with spatial reuse for Wi-Fi 6 dense deployments", IEEE Access 8, 2020).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from defiance_zoo.envs.wifi_rate_control.random_streams import GammaVariable

DrawBeta = Callable[[int, int], float]
"""Returns a number from 0 to 1 for integer shapes, at least 1."""


def beta_of_numpy(random: np.random.Generator) -> DrawBeta:
    """Return NumPy's draws, which have the distribution of ns-3's."""
    return lambda alpha, beta: float(random.beta(alpha, beta))


def beta_of_ns3(variable: GammaVariable) -> DrawBeta:
    """Return the draws of ns-3's algorithm."""
    return variable.draw_beta


@dataclass
class ThompsonSampling:
    """The algorithm for one station.

    Attributes:
        data_rates: Data rates of each rate, in bit/s.
        draw: Draws success probabilities.
        decay: Rate of decay of counts, in 1/s.
        rate: Number of the next rate.
    """

    data_rates: Sequence[float]
    draw: DrawBeta
    decay: float = 1.0
    rate: int = 0
    _successes: list[float] = field(default_factory=list)
    _failures: list[float] = field(default_factory=list)
    _faded_ns: float = 0.0

    def __post_init__(self) -> None:
        """Draw the first rate, without counts."""
        self._successes = [0.0] * len(self.data_rates)
        self._failures = [0.0] * len(self.data_rates)
        self._choose()

    def report(self, time_ns: float, rate: int, successes: float, failures: float) -> None:
        """Add the acknowledged and other frames of a rate at a time, and draw the next rate."""
        if time_ns > self._faded_ns:
            share = math.exp(self.decay * (self._faded_ns - time_ns) / 1e9)
            self._successes = [share * each for each in self._successes]
            self._failures = [share * each for each in self._failures]
            self._faded_ns = time_ns
        self._successes[rate] += successes
        self._failures[rate] += failures
        self._choose()

    def know(self, successes: Sequence[float], failures: Sequence[float]) -> None:
        """Replace the counts by decayed counts of all frames, by rate, and draw the next rate."""
        self._successes, self._failures = list(successes), list(failures)
        self._choose()

    def _choose(self) -> None:
        best = 0.0
        self.rate = 0
        counts = zip(self.data_rates, self._successes, self._failures, strict=True)
        for number, (data_rate, successes, failures) in enumerate(counts):
            product = self.draw(int(1.0 + successes), int(1.0 + failures)) * data_rate
            if product > best:
                best, self.rate = product, number
