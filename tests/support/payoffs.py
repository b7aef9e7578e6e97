# SPDX-License-Identifier: GPL-2.0-only
"""Payoffs of games with solutions known by hand, and random payoffs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from defiance_zoo.population import NormalForm

RPS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], np.float64)

# Rock beats scissors by 2, paper rock by 1, scissors paper by 3: (1/2, 1/3, 1/6).
BIASED = np.array([[0, -1, 2], [1, 0, -3], [-2, 3, 0]], np.float64)

PENNIES = np.array([[2, -1], [-1, 1]], np.float64)
"""The equilibrium of the rows is (2/5, 3/5), the value 1/5."""

# Mutual defection earns 1, mutual cooperation 3; a player that defects alone gets 5.
DILEMMA = np.array([[3, 0], [5, 1]], np.float64)

# Hawks fight for 2 at a cost of 4: half of the population are hawks.
HAWKS = np.array([[-1, 2], [0, 1]], np.float64)


def of_two(rows: ArrayLike, columns: ArrayLike | None = None) -> NormalForm:
    """Return a game of two roles; by default it is zero-sum."""
    first = np.asarray(rows, np.float64)
    second = -first if columns is None else np.asarray(columns, np.float64)
    return NormalForm((first, second), (0, 1))


def random_payoffs(draw: np.random.Generator, *shape: int) -> Any:
    """Return payoffs in turn all different, of few integers, or of few decimals."""
    kind = draw.integers(3)
    if kind == 0:
        return draw.normal(size=shape)
    few = draw.integers(-3, 4, size=shape).astype(np.float64)
    return few if kind == 1 else few * 0.1
