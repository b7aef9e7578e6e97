# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons of policies that have played the same episodes, with bootstrap intervals.

The measures are those of R. Agarwal et al., "Deep Reinforcement Learning at the Edge of the
Statistical Precipice", NeurIPS 2021. The results of a policy are an array of the shape (runs,
deployments, episodes). Its runs differ in the seed of the training. Episode i has the same seed in
all runs and deployments, and in the other policy's array.

The bootstrap draws runs and episodes, both with replacement, and crosses them (A. Owen, "The
pigeonhole bootstrap", Annals of Applied Statistics, 2007). A drawn run is drawn in all deployments,
and a drawn episode for both policies: so noise that an episode's seed brings to both cancels out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.experiments.workbench.estimates import tail_of

FEWEST_RUNS = 5
"""With fewer runs, but more than one, no interval says how further trainings would end."""

_RESAMPLES = 2_000
_ALL = (-3, -2, -1)
Results = NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """A measure, with its 95 % interval.

    Attributes:
        low: Lower end of the interval; None if there are two to four runs, or one episode.
    """

    value: float
    low: float | None = None
    high: float | None = None


def normalise(results: Results, zero: Results, one: Results) -> Results:
    """Return scores: 0 for the results `zero`, such as random actions', and 1 for `one`."""
    return (results - zero[:, np.newaxis]) / (one - zero)[:, np.newaxis]


def mean(results: Results) -> Results:
    """Return the mean of all results."""
    return np.asarray(results.mean(axis=_ALL))


def interquartile_mean(scores: Results) -> Results:
    """Return the mean of the middle half of all scores."""
    from scipy.stats import trim_mean  # takes a second

    together = scores.reshape((*scores.shape[:-3], -1))
    return np.asarray(trim_mean(together, 0.25, axis=-1))


def optimality_gap(scores: Results) -> Results:
    """Return by how much scores fall short of 1 in the mean; scores above 1 count as 1."""
    return 1 - mean(np.minimum(scores, 1))


def probability_of_improvement(ours: Results, theirs: Results) -> Results:
    """Return the probability that a run's result in an episode is greater than the other policy's.

    Equal results count half. It is the mean over pairs of runs, deployments and episodes.
    """
    gaps = ours[..., :, np.newaxis, :, :] - theirs[..., np.newaxis, :, :, :]
    return np.asarray(((gaps > 0) + 0.5 * (gaps == 0)).mean(axis=(*_ALL, -4)))


def difference(ours: Results, theirs: Results) -> Results:
    """Return the mean of our results minus the mean of the other policy's."""
    return mean(ours) - mean(theirs)


def measure(function: Callable[..., Results], *policies: Results) -> Measured:
    """Return a measure of one policy or two, with its interval."""
    value = float(function(*policies))
    counts, episodes = [len(each) for each in policies], policies[0].shape[2]
    if episodes == 1 or any(1 < count < FEWEST_RUNS for count in counts):
        return Measured(value)
    generator = np.random.default_rng([*counts, episodes])
    seeds = generator.integers(episodes, size=(_RESAMPLES, 1, 1, episodes))
    drawn = []
    for results, count in zip(policies, counts, strict=True):
        runs = generator.integers(count, size=(_RESAMPLES, count, 1, 1))
        places = np.arange(results.shape[1])[:, np.newaxis]
        drawn.append(results[runs, places, seeds])
    tail = tail_of(min([episodes, *(count for count in counts if count > 1)]))
    low, high = np.quantile(function(*drawn), [tail, 1 - tail])
    return Measured(value, min(float(low), value), max(float(high), value))
