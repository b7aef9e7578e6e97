# SPDX-License-Identifier: GPL-2.0-only
"""The figures of a population, from its payoff table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from defiance_zoo.errors import NotSolved
from defiance_zoo.population.ratings.comparing import relative_performance, transitivity
from defiance_zoo.population.ratings.elo import rate
from defiance_zoo.population.table.payoffs import PayoffTable

_ANTISYMMETRIC = 1e-6
"""Sums of payoffs that are smaller, as a part of the greatest one, are rounding."""


def is_symmetric(table: PayoffTable) -> bool:
    """Whether a game has two seats of one role, so that any two policies can be compared."""
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
        table: Of a symmetric game of two.
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
