# SPDX-License-Identifier: GPL-2.0-only
"""Equilibria of zero-sum games by linear programming."""

from __future__ import annotations

import warnings

import numpy as np

from defiance_zoo.errors import NotSolved
from defiance_zoo.population.games.normal_form import Floats, to_distribution, to_unit
from defiance_zoo.population.solvers.lemke_howson import find_equilibria

PRECISION = 1e-9
"""Maximum gain of a deviation from an equilibrium, relative to the range of payoffs."""

_TOLERANCE = 1e-10
"""Tolerance of the linear program: the smallest that HiGHS accepts."""


def minimax(payoffs: Floats) -> tuple[Floats, Floats]:
    """Return the mixtures of an equilibrium of a zero-sum game.

    Linear programming takes polynomial time. If its rounding errors are too large, exact pivoting
    replaces it.

    Args:
        payoffs: Payoffs of the rows, losses of the columns, shape (rows, columns).
    """
    unit = to_unit(payoffs)
    rows, columns = _maximin(unit), _maximin(-unit.T)
    if rows is not None and columns is not None:
        gap = (unit @ columns).max() - (rows @ unit).min()
        if gap <= PRECISION:
            return rows, columns
    for equilibrium in find_equilibria(unit, -unit):
        return equilibrium
    raise NotSolved(f"no equilibrium of a zero-sum game of {payoffs.shape} strategies was found")


def _maximin(payoffs: Floats) -> Floats | None:
    """Return the mixture of rows that maximises the least mean over columns; None on failure.

    The linear program: maximise v such that payoffs' p >= v, p >= 0 and sum(p) = 1 (von Neumann).
    """
    from scipy.optimize import linprog  # takes a fifth of a second

    count, others = payoffs.shape
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the result is verified
        solved = linprog(
            np.r_[np.zeros(count), -1.0],
            A_ub=np.column_stack([-payoffs.T, np.ones(others)]),
            b_ub=np.zeros(others),
            A_eq=np.r_[np.ones(count), 0.0][np.newaxis],
            b_eq=[1.0],
            bounds=[(0, None)] * count + [(None, None)],
            method="highs",
            options={
                "primal_feasibility_tolerance": _TOLERANCE,
                "dual_feasibility_tolerance": _TOLERANCE,
            },
        )
    return None if solved.x is None else to_distribution(solved.x[:-1])
