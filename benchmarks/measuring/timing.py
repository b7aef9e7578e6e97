# SPDX-License-Identifier: GPL-2.0-only
"""Durations and their statistics."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.float64]
Figures = dict[str, float]
Results = dict[str, Figures]
"""Figures by case; the unit is the suffix of a figure's name."""


@dataclass(frozen=True)
class Effort:
    """The amount of measurements.

    Attributes:
        quick: Whether to measure only as much as a trial of the benchmark needs.
    """

    quick: bool

    def of(self, full: int, quick: int) -> int:
        """Return the number of repetitions."""
        return quick if self.quick else full


def time_each(do: Callable[[], object], count: int, *, warm_up: int = 0) -> Times:
    """Return the duration of each of `count` calls in seconds, shape (count,)."""
    for _ in range(warm_up):
        do()
    clock = time.perf_counter
    times = np.zeros(count)
    for number in range(count):
        began = clock()
        do()
        times[number] = clock() - began
    return times


def in_us(times: Times) -> Figures:
    """Return the median and 99th percentile in microseconds, and the rate per second."""
    return {
        "median_us": float(np.median(times) * 1e6),
        "p99_us": float(np.quantile(times, 0.99) * 1e6),
        "per_s": float(1 / times.mean()),
    }


def in_ms(times: Times) -> Figures:
    """Return the median and 99th percentile in milliseconds."""
    return {
        "median_ms": float(np.median(times) * 1e3),
        "p99_ms": float(np.quantile(times, 0.99) * 1e3),
    }


def median_of(repetitions: list[Results]) -> Results:
    """Return the median of each figure over repetitions of the same measurement."""
    return {
        case: {
            figure: float(np.median([each[case][figure] for each in repetitions]))
            for figure in figures
        }
        for case, figures in repetitions[0].items()
    }
