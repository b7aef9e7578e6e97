# SPDX-License-Identifier: GPL-2.0-only
"""Comparison of samples of two policies."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """The difference between two samples.

    Attributes:
        u: Mann and Whitney's statistic: number of pairs in which the first value is better; ties
            count half.
        p: Probability of this or a more extreme u, if neither sample is better.
        effect: u divided by the number of pairs: the probability that a value of the first sample
            is better than one of the second (Vargha and Delaney's A); 0.5 if neither sample is
            better.
        ratio: Ratio of the means; None if the second mean is 0, or a value is not finite.
    """

    u: float
    p: float
    effect: float
    ratio: float | None


def compare(ours: Sequence[float], theirs: Sequence[float], *, fewer: bool = False) -> Difference:
    """Compare two samples by the one-sided Mann-Whitney test.

    The test is exact if no values are equal; otherwise it is the normal approximation with
    corrections for ties and continuity.

    Args:
        ours: At least one value; infinity is larger than all others.
        theirs: At least one value.
        fewer: Whether smaller values are better.
    """
    from scipy.stats import mannwhitneyu  # the import takes a second

    sign = -1.0 if fewer else 1.0
    values = [*ours, *theirs]
    ranks = {value: float(number) for number, value in enumerate(sorted(set(values)))}
    one, other = ([sign * ranks[value] for value in sample] for sample in (ours, theirs))
    ties = len(set(values)) < len(values)
    method = "asymptotic" if ties else "exact"
    if len(ranks) == 1:
        u, p = len(ours) * len(theirs) / 2, 1.0
    else:
        test = mannwhitneyu(one, other, alternative="greater", method=method)
        u, p = float(test.statistic), float(test.pvalue)
    finite = all(math.isfinite(value) for value in values)
    below = statistics.fmean(theirs) if finite else 0.0
    ratio = statistics.fmean(ours) / below if below else None
    return Difference(u, p, u / (len(ours) * len(theirs)), ratio)
