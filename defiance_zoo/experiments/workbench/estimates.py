# SPDX-License-Identifier: GPL-2.0-only
"""Means with confidence intervals."""

from __future__ import annotations

import functools
import statistics
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95

INTERVAL = "95 % bootstrap percentiles of the mean"
"""The kind of interval of an estimate."""

_RESAMPLES = 10_000


@dataclass(frozen=True)
class Estimate:
    """A mean and its confidence interval.

    The 95 % confidence interval is a bootstrap interval of the mean. For any distribution, it
    contains the mean, and does not exceed the least and the greatest value. Equal values give equal
    intervals. Plain percentiles, 2.5 and 97.5, are too narrow for few values, so the percentiles
    are further out, by the ratio of Student's t to the normal distribution.

    Attributes:
        low: Lower end of the interval; None for a single value.
    """

    mean: float
    low: float | None
    high: float | None
    count: int = 1

    @classmethod
    def of(cls, values: list[float]) -> Estimate:
        """Estimate the mean from a sample of at least one value."""
        # Rounding can move the mean of equal values beyond the values.
        least, greatest = min(values), max(values)
        mean = min(max(statistics.fmean(values), least), greatest)
        if len(values) == 1:
            return cls(mean, None, None)
        count = len(values)
        counts, tail = _resampling(count)
        means = counts @ np.array(values, np.float64) / count
        low, high = np.quantile(means, [tail, 1 - tail])
        low, high = min(max(float(low), least), mean), max(min(float(high), greatest), mean)
        return cls(mean, low, high, count)

    def to_json(self) -> dict[str, Any]:
        """Return the estimate for a file."""
        return {"mean": self.mean, "ci95": [self.low, self.high]}


@functools.lru_cache(maxsize=16)
def _resampling(count: int) -> tuple[NDArray[np.float64], float]:
    """Return the number of draws of each value, and the share of means to leave out.

    Counts have shape (resamples, count), and each row sums up to `count`.
    """
    drawn = np.random.default_rng(count).integers(count, size=(_RESAMPLES, count))
    counts = np.zeros((_RESAMPLES, count))
    np.add.at(counts, (np.arange(_RESAMPLES)[:, np.newaxis], drawn), 1)
    return counts, tail_of(count)


def tail_of(count: int) -> float:
    """Return the share of bootstrap values beyond each end of an interval of a few values.

    T. Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician, 2015:
    the expanded percentile interval.
    """
    from scipy.special import ndtr, stdtrit  # takes a third of a second

    quantile = stdtrit(count - 1, (1 + CONFIDENCE) / 2)
    return float(ndtr(-quantile * (count / (count - 1)) ** 0.5))
