# SPDX-License-Identifier: GPL-2.0-only
"""Verified Nash equilibria of two seats."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from defiance_zoo.errors import NotSolved
from defiance_zoo.population.games.exploitability import exploitability
from defiance_zoo.population.games.normal_form import (
    Floats,
    Mixtures,
    NormalForm,
    rounding_of,
    to_unit,
)
from defiance_zoo.population.solvers.lemke_howson import find_equilibria, find_symmetric_equilibria
from defiance_zoo.population.solvers.minimax import PRECISION, minimax

_DIGITS = 12
"""Number of decimals to which equal payoff sums agree."""


def solve_nash(game: NormalForm) -> Mixtures:
    """Return the mixtures of a Nash equilibrium of two seats.

    A constant-sum game is solved by linear programming, in polynomial time. Other games, and games
    in which linear programming fails, are solved by exact pivoting (`lemke_howson`). Of the pure
    equilibria and those found by pivoting, the result has the greatest payoff sum. If both seats
    have one role, both play the same mixture.

    Apart from rounding errors, no strategy gains more over the result than 1e-9 of its seat's
    payoff range.
    """
    if game.constant_sum is not None:
        rows, columns = minimax(game.payoffs[0])
        mixtures: Mixtures = (rows,) if game.roles == (0, 0) else (rows, columns)
        if is_equilibrium(game, mixtures):
            return mixtures
    found = [each for each in _candidates(game) if is_equilibrium(game, each)]
    if not found:
        raise NotSolved(
            f"no equilibrium of a game of {game.payoffs[0].shape} strategies was found within the "
            "limit of solver='nash': choose solver='prd', which supports games of any size"
        )
    unit = game.unit()
    return max(found, key=lambda each: _sum_of_payoffs(unit, each))


def is_equilibrium(game: NormalForm, mixtures: Mixtures) -> bool:
    """Return whether mixtures are an equilibrium within the limits of `solve_nash`."""
    own = NormalForm(tuple(map(to_unit, game.payoffs)), game.roles)
    gains = exploitability(own, mixtures).gains
    seats = [game.payoffs[game.roles.index(role)] for role in range(len(gains))]
    limits = [PRECISION + rounding_of([payoffs]) for payoffs in seats]
    return all(gain <= limit for gain, limit in zip(gains, limits, strict=True))


def _candidates(game: NormalForm) -> Iterator[Mixtures]:
    """Yield pure equilibria, and then the ends of paths."""
    first, second = game.payoffs
    if game.roles == (0, 0):
        for strategy in np.flatnonzero(first.diagonal() == first.max(axis=0)):
            yield (_pure(int(strategy), len(first)),)
        for mixture in find_symmetric_equilibria(first):
            yield (mixture,)
        return
    best = (first == first.max(axis=0)) & (second == second.max(axis=1, keepdims=True))
    for row, column in zip(*np.nonzero(best), strict=True):
        yield _pure(int(row), len(first)), _pure(int(column), first.shape[1])
    yield from find_equilibria(first, second)


def _pure(strategy: int, count: int) -> Floats:
    mixture = np.zeros(count)
    mixture[strategy] = 1
    return mixture


def _sum_of_payoffs(unit: NormalForm, mixtures: Mixtures) -> float:
    values = unit.values(mixtures)
    return round(sum(values[role] for role in unit.roles), _DIGITS)
