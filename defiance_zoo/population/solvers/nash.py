# SPDX-License-Identifier: GPL-2.0-only
"""Nash equilibria: by linear programs in games of zero sum, and by Lemke and Howson's paths."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.errors import NotSolved
from defiance_zoo.population.games.normal_form import (
    Floats,
    Mixtures,
    NormalForm,
    exploitability,
    rounding_of,
    to_distribution,
    to_unit,
)

PRECISION = 1e-9
"""Maximum gain of a deviation from an equilibrium, relative to the range of payoffs."""

_TOLERANCE = 1e-10
"""Tolerance of the linear program: the smallest that HiGHS accepts."""


def minimax(payoffs: Floats) -> tuple[Floats, Floats]:
    """Return the mixtures of an equilibrium of a zero-sum game.

    Linear programming takes polynomial time. If its rounding errors are too large, exact pivoting
    replaces it.

    `payoffs` are the rows' payoffs and the columns' losses.
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


Integers = NDArray[np.object_]
"""Python's integers, which have any number of digits."""

_BITS = 60
"""Payoffs are rounded to their seat's range divided by 2^60; regrets are below 1e-17 ranges."""

_PATH = 50_000_000
"""Maximum number of changed table elements on a path: at least a minute for 100 strategies."""

_PATHS = 1_000_000
"""Number of changed table elements after which no further path starts (about a second)."""


def find_equilibria(rows: Floats, columns: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield the equilibria at the ends of the paths of Lemke and Howson (1964).

    A path begins with each strategy, in order; several paths may have the same end. In large games,
    only the first paths are followed. The choice of paths depends only on the payoffs.

    Yields a distribution for each seat. It yields nothing if all paths are too long, which happens
    only with hundreds of strategies.
    """
    first, second = to_integers(rows), to_integers(columns)
    spent = 0
    for label in range(sum(rows.shape)):
        path = _Path(first, second)
        ended = path.follow(label)
        spent += path.changed
        if ended is not None:
            yield ended
        if spent > _PATHS:
            return


def find_symmetric_equilibria(payoffs: Floats) -> Iterator[Floats]:
    """Yield mixtures that are best responses to themselves, as `find_equilibria()` does.

    They are the second seat's mixtures in equilibria of the imitation game, in which the second
    seat gets 1 for choosing like the first seat (McLennan and Tourky, 2010).
    """
    for _, mixture in find_equilibria(payoffs, np.eye(len(payoffs))):
        yield mixture


def to_integers(payoffs: Floats) -> Integers:
    """Convert payoffs to positive integers whose differences have no common divisor.

    Equal payoffs stay equal. Integers with a range below 2^60 stay exact, except for a constant and
    a factor, which change no equilibrium.
    """
    exact = [Fraction(float(each)) for each in payoffs.flat]
    least = min(exact)
    spread = max(exact) - least
    digits = spread.numerator.bit_length() - spread.denominator.bit_length()
    whole = [round((each - least) * Fraction(2) ** (_BITS - digits)) for each in exact]
    divisor = math.gcd(*whole) or 1
    return np.array([each // divisor + 1 for each in whole], object).reshape(payoffs.shape)


class _Path:
    """A path from the origin of the best response polytopes to an equilibrium."""

    def __init__(self, rows: Integers, columns: Integers) -> None:
        count, others = rows.shape
        self._count = count
        labels = range(count + others)
        slack = np.eye(count, dtype=object), np.eye(others, dtype=object)
        # Columns: each label, and the right side. Rows: each variable of the basis.
        self._of_rows = _Table([columns.T, slack[1]], labels[count:])
        self._of_columns = _Table([slack[0], rows], labels[:count])
        self.changed = 0

    def follow(self, label: int) -> tuple[Floats, Floats] | None:
        """Return the equilibrium at the end of the path that first drops a label."""
        now, other = self._of_rows, self._of_columns
        if label >= self._count:
            now, other = other, now
        entering = label
        while self.changed < _PATH:
            leaving = now.pivot(entering)
            self.changed += now.size
            if leaving == label:
                count, total = self._count, self._of_rows.width
                return (
                    self._of_rows.mixture(range(count)),
                    self._of_columns.mixture(range(count, total)),
                )
            entering, now, other = leaving, other, now
        return None


class _Table:
    """The equations of one polytope; numbers are integers divided by one denominator."""

    def __init__(self, parts: list[Integers], basis: range) -> None:
        self._numbers: Any = np.hstack([*parts, np.ones((len(basis), 1), object)])
        self._denominator = 1
        self._basis = list(basis)
        # The right side, and then the variables of the first basis, break all ties.
        self._order = [-1, *basis]

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(self._numbers.size)

    @property
    def width(self) -> int:
        """Number of labels."""
        return int(self._numbers.shape[1]) - 1

    def pivot(self, entering: int) -> int:
        """Let a variable enter the basis; return the variable that leaves it."""
        numbers, row = self._numbers, self._find_row(entering)
        kept, column = numbers[row].copy(), numbers[:, entering].copy()
        element = kept[entering]
        # The division leaves no remainder: all are determinants (Edmonds, 1967).
        numbers = (numbers * element - np.outer(column, kept)) // self._denominator
        numbers[row] = kept
        self._numbers, self._denominator = numbers, element
        leaving, self._basis[row] = self._basis[row], entering
        return leaving

    def _find_row(self, entering: int) -> int:
        """Return the row whose ratios to the entering column are least, in lexical order."""
        column = self._numbers[:, entering]
        rows = [row for row in range(len(column)) if column[row] > 0]
        for place in self._order:
            if len(rows) == 1:
                break
            ratios = [Fraction(self._numbers[row, place], column[row]) for row in rows]
            least = min(ratios)
            rows = [row for row, ratio in zip(rows, ratios, strict=True) if ratio == least]
        return rows[0]

    def mixture(self, labels: range) -> Floats:
        """Return the values of variables, divided by their sum."""
        values = dict(zip(self._basis, self._numbers[:, -1], strict=True))
        weights = [values.get(label, 0) for label in labels]
        return np.array([float(Fraction(weight, sum(weights))) for weight in weights])


_DIGITS = 12
"""Number of decimals to which equal payoff sums agree."""


def solve_nash(game: NormalForm) -> Mixtures:
    """Return the mixtures of a Nash equilibrium of two seats.

    A constant-sum game is solved by linear programming, in polynomial time. Other games, and games
    in which linear programming fails, are solved by exact pivoting. Of the pure
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
            yield (np.eye(len(first))[strategy],)
        for mixture in find_symmetric_equilibria(first):
            yield (mixture,)
        return
    best = (first == first.max(axis=0)) & (second == second.max(axis=1, keepdims=True))
    for row, column in zip(*np.nonzero(best), strict=True):
        yield np.eye(len(first))[row], np.eye(first.shape[1])[column]
    yield from find_equilibria(first, second)


def _sum_of_payoffs(unit: NormalForm, mixtures: Mixtures) -> float:
    values = unit.values(mixtures)
    return round(sum(values[role] for role in unit.roles), _DIGITS)
