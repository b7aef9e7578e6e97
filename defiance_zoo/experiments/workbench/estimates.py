# SPDX-License-Identifier: GPL-2.0-only
"""Means, and where they may be."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Sequence
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
    """A mean, and where it may be.

    The 95 % confidence interval consists of means that were drawn from the values again: so it is
    never beyond the least and the greatest value, whatever their distribution, it contains the
    mean, and it repeats itself. Percentiles are further out than 2.5 and 97.5 by as much as
    Student's t is wider than the normal distribution: of few values, plain percentiles are too
    narrow.

    Attributes:
        mean: Mean of the values.
        low: Begin of the interval; None of a single value.
        high: End of the interval.
        count: Number of values.
    """

    mean: float
    low: float | None
    high: float | None
    count: int = 1

    @classmethod
    def of(cls, values: list[float]) -> Estimate:
        """Estimate the mean of what values are a sample of; at least one."""
        # Rounding can put means of equal values beyond these values, and beyond each other.
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
        """Return it for a file."""
        return {"mean": self.mean, "ci95": [self.low, self.high]}


def interquartile_mean(scores: Sequence[float]) -> float:
    """Return the mean of the middle half: a quarter of the scores is left out at each end."""
    from scipy.stats import trim_mean  # takes a second

    return float(trim_mean(np.array(scores, np.float64), 0.25))


@functools.lru_cache(maxsize=16)
def _resampling(count: int) -> tuple[NDArray[np.float64], float]:
    """Return the number of draws of each value, and the part of the means to leave out.

    Returns:
        Counts of shape (resamples, count), whose rows sum up to `count`; and the part at each end,
        after T. Hesterberg's expanded percentile interval.
    """
    from scipy.special import ndtr, stdtrit  # takes a third of a second

    drawn = np.random.default_rng(count).integers(count, size=(_RESAMPLES, count))
    counts = np.zeros((_RESAMPLES, count))
    np.add.at(counts, (np.arange(_RESAMPLES)[:, np.newaxis], drawn), 1)
    quantile = stdtrit(count - 1, (1 + CONFIDENCE) / 2)
    return counts, float(ndtr(-quantile * (count / (count - 1)) ** 0.5))
