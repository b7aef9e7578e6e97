# SPDX-License-Identifier: GPL-2.0-only
"""Equilibria of two seats: by linear programming where what one gains the other one loses."""

from __future__ import annotations

import itertools
import warnings

import numpy as np

from defiance_zoo.errors import DependencyMissing, ParameterError
from defiance_zoo.population.games.exploitability import exploitability
from defiance_zoo.population.games.normal_form import (
    Floats,
    Mixtures,
    NormalForm,
    to_distribution,
)

_SAME = 1e-6
"""Two mixtures are one if no probability differs by more."""


def solve_nash(game: NormalForm) -> Mixtures:
    """Return the mixtures of a Nash equilibrium.

    A constant-sum game of two seats is solved by linear programming, in polynomial time and to
    rounding. Other games of two seats are by support enumeration, in exponential time: of the
    equilibria that it finds, the one with the greatest sum of payoffs.

    Raises:
        ParameterError: There are more than two seats, or no equilibrium was found.
        DependencyMissing: The game is not constant-sum, and nashpy is not installed.
    """
    if game.seats != 2:
        raise ParameterError(
            f"solver='nash' is for games of two seats, not of {game.seats}; 'prd' is for any"
        )
    if game.constant_sum is None:
        return _enumerate(game)
    rows = maximin(game.payoffs[0])
    if game.roles == (0, 0):
        return (rows,)
    return rows, maximin(game.payoffs[1].T)


def maximin(payoffs: Floats) -> Floats:
    """Return the mixture of rows whose least mean over columns is greatest.

    The linear program: maximise v such that payoffs' p >= v, p >= 0 and sum(p) = 1 (von Neumann).

    Args:
        payoffs: Of the rows, shape (rows, columns).
    """
    from scipy.optimize import linprog  # takes a fifth of a second

    count, others = payoffs.shape
    scale = float(np.abs(payoffs).max()) or 1.0  # tolerances of the solver are absolute
    solved = linprog(
        np.r_[np.zeros(count), -1.0],
        A_ub=np.column_stack([-payoffs.T / scale, np.ones(others)]),
        b_ub=np.zeros(others),
        A_eq=np.r_[np.ones(count), 0.0][np.newaxis],
        b_eq=[1.0],
        bounds=[(0, None)] * count + [(None, None)],
        method="highs",
    )
    if solved.x is None:
        raise ParameterError(f"the linear program of a game was not solved: {solved.message}")
    return to_distribution(solved.x[:-1])


def _enumerate(game: NormalForm) -> Mixtures:
    try:
        import nashpy
    except ModuleNotFoundError as error:
        raise DependencyMissing(
            "solver='nash' needs nashpy for games that are not constant-sum: "
            "pip install 'defiance-zoo[population]', or choose solver='prd'"
        ) from error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of an even number of equilibria
        found = list(itertools.islice(nashpy.Game(*game.payoffs).support_enumeration(), 1000))
    if game.roles == (0, 0):
        known = [(row,) for row, column in found if np.allclose(row, column, atol=_SAME)]
    else:
        known = [tuple(pair) for pair in found]
    mixtures = [tuple(map(to_distribution, each)) for each in known]
    if not mixtures:
        raise ParameterError("no equilibrium was found, the game is degenerate; solver='prd' is")
    return max(mixtures, key=lambda each: sum(exploitability(game, each).values))
