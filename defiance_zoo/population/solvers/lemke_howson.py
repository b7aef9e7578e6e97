# SPDX-License-Identifier: GPL-2.0-only
"""Equilibria of two seats in exact arithmetic, by complementary pivoting.

The payoffs of each seat become integers, so no comparison depends on rounding. Ties are broken
lexicographically: the algorithm ends in an equilibrium of every game, degenerate games included.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.population.games.normal_form import Floats

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

    Args:
        rows: Payoffs of the first seat, shape (strategies, strategies of the second seat).
        columns: Payoffs of the second seat, of the same shape.

    Yields:
        A distribution over the strategies of each seat. Nothing is yielded if all followed paths
        exceed the limit, which happens only with hundreds of strategies.
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

    Args:
        payoffs: Payoffs of the row against the column, shape (strategies, strategies).
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
    """A path from the origin of the best response polytopes to an equilibrium.

    Attributes:
        changed: Elements of tables that pivots have changed.
    """

    def __init__(self, rows: Integers, columns: Integers) -> None:
        count, others = rows.shape
        self._count = count
        labels = range(count + others)
        slack = _identity(count), _identity(others)
        # Columns: each label, and the right side. Rows: each variable of the basis.
        self._of_rows = _Table([columns.T, slack[1]], labels[count:])
        self._of_columns = _Table([slack[0], rows], labels[:count])
        self.changed = 0

    def follow(self, label: int) -> tuple[Floats, Floats] | None:
        """Return the equilibrium at the end of the path that first drops a label.

        Returns:
            The equilibrium; None if the path is longer than `_PATH`.
        """
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
        ones = np.array([[1]] * len(basis), object)
        self._numbers: Any = np.hstack([*parts, ones])
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


def _identity(count: int) -> Integers:
    return np.array([[int(a == b) for b in range(count)] for a in range(count)], object)
