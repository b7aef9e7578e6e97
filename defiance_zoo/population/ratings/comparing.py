# SPDX-License-Identifier: GPL-2.0-only
"""How two populations compare, and how far better and worse explain who beats whom."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from defiance_zoo.errors import ParameterError
from defiance_zoo.population.solvers.minimax import minimax


def relative_performance(payoffs: ArrayLike) -> float:
    """Return what a population earns against another one, if both play their best mixtures.

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
    """Return how much of who beats whom is explained by some being better than others.

    An antisymmetric matrix A is the sum of a transitive part, r_i - r_j with r the means of its
    rows, and a cyclic one, which are orthogonal (Balduzzi et al., 2019); this is the share of the
    first in the squared Frobenius norm of A. 1: the better one always wins; 0: all is cyclic, as in
    rock, paper, scissors.

    Args:
        payoffs: What rows earn against columns, shape (policies, policies); antisymmetric.
        tolerance: Of that, as a part of the greatest payoff.

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
