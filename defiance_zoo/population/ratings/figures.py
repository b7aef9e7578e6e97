# SPDX-License-Identifier: GPL-2.0-only
"""The figures of a population: who beats whom, Elo ratings, and how two populations compare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from defiance_zoo.errors import NotSolved, ParameterError
from defiance_zoo.population.solvers.minimax import minimax
from defiance_zoo.population.table.payoffs import PayoffTable

BEGIN = 1000.0
"""The rating of who has not played."""

GAIN = 16.0
"""Largest change of a rating by a match, called K."""

_SCALE = 400.0


def expected_score(own: float, other: float) -> float:
    """Return the score that ratings predict: 1 / (1 + 10^((other - own) / 400))."""
    return float(1 / (1 + 10 ** ((other - own) / _SCALE)))


def rate(
    matches: Iterable[tuple[str, str, float]], *, begin: float = BEGIN, gain: float = GAIN
) -> dict[str, float]:
    """Return the ratings of players after matches, one after the other (Elo, 1978).

    Args:
        matches: Two players, and the score of the first one: 1 if it won, 0.5 if nobody did, 0 if
            it lost, or the mean of that over several games. The order matters.
        begin: The rating of who has not played yet.
        gain: Largest change by a match.
    """
    ratings: dict[str, float] = {}
    for first, second, score in matches:
        own, other = ratings.setdefault(first, begin), ratings.setdefault(second, begin)
        change = gain * (score - expected_score(own, other))
        ratings[first], ratings[second] = own + change, other - change
    return ratings


def relative_performance(payoffs: ArrayLike) -> float:
    """Return the payoff of a population against another, if both play their best mixtures.

    The value of the zero-sum game whose strategies are the policies of both populations, called
    relative population performance (Balduzzi et al., 2019); above 0, the first one is better.

    Args:
        payoffs: What each policy of the first population earns against each of the second one,
            shape (policies of the first, policies of the second).

    Raises:
        NotSolved: No equilibrium was found.
    """
    array = np.asarray(payoffs, np.float64)
    rows, columns = minimax(array)
    return float(rows @ array @ columns)


def transitivity(payoffs: ArrayLike, *, tolerance: float = 1e-9) -> float | None:
    """Return the transitive share of payoffs: some policies are better than others, whoever plays.

    An antisymmetric matrix A is the sum of a transitive part, r_i - r_j with r the means of its
    rows, and a cyclic one, which are orthogonal (Balduzzi et al., 2019). The result is the share of
    the transitive part in the squared Frobenius norm of A. 1: the better one always wins; 0: all is
    cyclic, as in rock, paper, scissors.

    Args:
        payoffs: Payoffs of rows against columns, shape (policies, policies); antisymmetric.
        tolerance: Tolerance of antisymmetry, as a part of the greatest payoff.

    Returns:
        The share, from 0 to 1; None if nobody ever gains anything.

    Raises:
        ParameterError: The game is not zero-sum and symmetric.
    """
    array = np.asarray(payoffs, np.float64)
    scale = float(np.abs(array).max(initial=0))
    if array.ndim != 2 or np.abs(array + array.T).max(initial=0) > tolerance * scale:
        raise ParameterError("transitivity is of zero-sum games of two seats of one role")
    if scale == 0:
        return None
    ratings = array.mean(axis=1)
    ordered = ratings[:, np.newaxis] - ratings[np.newaxis, :]
    return float(np.square(ordered / scale).sum() / np.square(array / scale).sum())


_ANTISYMMETRIC = 1e-6
"""Sums of payoffs that are smaller, as a part of the greatest one, are rounding."""


def is_symmetric(table: PayoffTable) -> bool:
    """Return whether a game has two seats of one role, so that any two policies can be compared."""
    return len(table.seats.agents) == 2 and len(table.seats.names) == 1


def elo_ratings(table: PayoffTable, names: Sequence[str]) -> dict[str, float]:
    """Return the Elo ratings of policies of a symmetric game of two.

    Each policy meets those before it, one after the other; the score of a meeting is the mean of
    its episodes. Meetings that were not played are left out.

    Args:
        table: Has the scores.
        names: In the order in which the policies joined.
    """
    met = rate(_meetings(table, names))
    return {name: met[name] for name in names if name in met}


def _meetings(table: PayoffTable, names: Sequence[str]) -> Iterator[tuple[str, str, float]]:
    for number, name in enumerate(names):
        for other in names[:number]:
            cell = table.get((name, other))
            if cell is not None:
                yield name, other, cell.scores[name].mean


def population_transitivity(table: PayoffTable, names: Sequence[str]) -> float | None:
    """Return how transitive a symmetric zero-sum game of two is among policies.

    Returns:
        See `transitivity`; None if payoffs are not known, not zero-sum, or all 0.
    """
    payoffs = table.matrix(names, names)
    if not payoffs.size or not np.isfinite(payoffs).all():
        return None
    if np.abs(payoffs + payoffs.T).max() > _ANTISYMMETRIC * np.abs(payoffs).max():
        return None
    return transitivity(payoffs, tolerance=_ANTISYMMETRIC)


def progress(table: PayoffTable, names: Sequence[str]) -> float | None:
    """Return the relative performance of the later half of a population against the earlier one.

    Args:
        table: Table of a symmetric game of two.
        names: In the order in which the policies joined.

    Returns:
        See `relative_performance`; None if there are fewer than two policies, if payoffs are not
        known, or if no equilibrium was found.
    """
    half = len(names) // 2
    payoffs = table.matrix(names[half:], names[:half])
    if not payoffs.size or not np.isfinite(payoffs).all():
        return None
    try:
        return relative_performance(payoffs)
    except NotSolved:
        return None
