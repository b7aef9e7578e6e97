# SPDX-License-Identifier: GPL-2.0-only
"""Ranking by evolution (alpha-Rank), compared with exact arithmetic."""

from __future__ import annotations

import decimal
import itertools
import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from payoffs import DILEMMA, RPS, random_payoffs

from defiance_zoo.errors import ParameterError
from defiance_zoo.population import NormalForm, solve
from defiance_zoo.population.solvers.rankings import rank_by_evolution


def test_evolution_of_two_strategies_is_as_computed_by_hand() -> None:
    """Takeovers up and down have the ratio e^((m - 1) d); d is the better strategy's advantage."""
    game = NormalForm.symmetric([[0, 1], [-1, 0]])  # d is 2 * intensity / range, which is 2
    (mixture,) = solve(game, "alpha_rank", intensity=0.3, population=5)
    assert mixture[0] / mixture[1] == pytest.approx(math.exp(4 * 0.3))
    (mixture,) = solve(game, "alpha_rank")
    assert mixture == pytest.approx([1, 0])


def test_evolution_distinguishes_two_stable_strategies_at_any_intensity() -> None:
    game = NormalForm.of_two([[1, 0], [0, 0.5]], [[1, 0], [0, 0.5]])
    for intensity in (100.0, 1e6):
        for mixture in solve(game, "alpha_rank", intensity=intensity):
            assert mixture == pytest.approx([1, 0])


def exact_evolution(game: NormalForm, intensity: float, population: int) -> list[list[float]]:
    """Return the mixtures of alpha-Rank by the matrix-tree theorem, in 50 digits.

    The share of a state is the sum over all trees towards it of the products of their transitions:
    without subtraction or underflow.
    """
    with decimal.localcontext(decimal.Context(prec=50)):
        steps = list(transitions(game, Fraction(intensity), population))
        states = sorted({start for start, _, _ in steps})
        weights = {state: sum_over_trees(steps, states, state) for state in states}
        total = sum(weights.values())
        mixtures = []
        for role, count in enumerate(game.strategies):
            place = 0 if game.roles == (0, 0) else role
            shares = [
                sum((weights[each] for each in states if each[place] == strategy), Decimal(0))
                for strategy in range(count)
            ]
            mixtures.append([float(share / total) for share in shares])
    return mixtures


State = tuple[int, ...]
Step = tuple[State, State, Decimal]


def transitions(game: NormalForm, intensity: Fraction, population: int) -> Iterator[Step]:
    """Yield start, end and probability of each transition, up to a common factor."""
    spread = max(
        max(map(Fraction, array.flat)) - min(map(Fraction, array.flat)) for array in game.payoffs
    )
    if game.roles == (0, 0):
        for now, to in itertools.permutations(range(game.strategies[0]), 2):
            gained = Fraction(game.payoffs[0][to, now]) - Fraction(game.payoffs[1][to, now])
            yield (now,), (to,), takeover(intensity * gained / (spread or 1), population)
        return
    for now in itertools.product(*map(range, game.strategies)):
        for seat, count in enumerate(game.strategies):
            for strategy in set(range(count)) - {now[seat]}:
                to = (*now[:seat], strategy, *now[seat + 1 :])
                gained = Fraction(game.payoffs[seat][to]) - Fraction(game.payoffs[seat][now])
                yield now, to, takeover(intensity * gained / (spread or 1), population)


def takeover(exponent: Fraction, population: int) -> Decimal:
    """Return the probability of a takeover: 1 / (1 + e^-x + e^-2x + ...), with as many terms."""
    ratio = (Decimal(-exponent.numerator) / Decimal(exponent.denominator)).exp()
    return 1 / sum((ratio**number for number in range(population)), Decimal(0))


def sum_over_trees(steps: Sequence[Step], states: Sequence[State], root: State) -> Decimal:
    """Return the sum over all trees towards a state of the products of their steps."""
    leaving = {state: [each for each in steps if each[0] == state] for state in states}

    def grow(left: Sequence[State], chosen: dict[State, State], product: Decimal) -> Decimal:
        if not left:
            return product
        total = Decimal(0)
        for start, to, probability in leaving[left[0]]:
            end = to
            while end in chosen:
                end = chosen[end]
            if end != start:  # no circle
                total += grow(left[1:], {**chosen, start: to}, product * probability)
        return total

    return grow([each for each in states if each != root], {}, Decimal(1))


def test_evolution_equals_exact_arithmetic_for_a_hundred_games() -> None:
    draw = np.random.default_rng(7)
    for number in range(100):
        kind = number % 4
        if kind < 2:
            count = int(draw.integers(2, 5))
            game = NormalForm.symmetric(random_payoffs(draw, count, count))
        elif kind == 2:
            shape = [(2, 2), (2, 3), (3, 2)][draw.integers(3)]
            game = NormalForm.of_two(random_payoffs(draw, *shape), random_payoffs(draw, *shape))
        else:
            payoffs = tuple(random_payoffs(draw, 2, 2, 2) for _ in range(3))
            game = NormalForm(payoffs, (0, 1, 2))
        intensity = float(10 ** draw.uniform(-1, 3))
        population = int(draw.integers(2, 101))
        known = exact_evolution(game, intensity, population)
        found = solve(game, "alpha_rank", intensity=intensity, population=population)
        for mixture, exact in zip(found, known, strict=True):
            assert mixture == pytest.approx(exact, abs=1e-9)


def test_takeovers_with_a_tiny_advantage_are_exact() -> None:
    """1e-9 of the intensity times the population decides between the two."""
    for gained in (1e-9, 1e-13, 1e-300):
        game = NormalForm.symmetric([[0, gained], [0, 0]])
        (mixture,) = rank_by_evolution(game, 1.0, 50)
        assert mixture[0] / mixture[1] == pytest.approx(math.exp(49 * gained), rel=1e-12)


def test_evolution_of_a_cyclic_game_is_uniform() -> None:
    assert solve(NormalForm.symmetric(RPS), "alpha_rank")[0] == pytest.approx([1 / 3] * 3)
    rows, columns = solve(NormalForm.of_two([[1, -1], [-1, 1]]), "alpha_rank", intensity=1.0)
    assert rows == pytest.approx([0.5, 0.5])
    assert columns == pytest.approx([0.5, 0.5])


def test_evolution_of_two_roles_finds_dominant_strategies() -> None:
    rows, columns = solve(NormalForm.of_two(DILEMMA, DILEMMA.T), "alpha_rank")
    assert rows == pytest.approx([0, 1])
    assert columns == pytest.approx([0, 1])
    three = NormalForm((np.zeros((2, 2, 2)),) * 3, (0, 0, 0))
    with pytest.raises(ParameterError, match="alpha_rank"):
        solve(three, "alpha_rank")


# ---------------------------------------------------------------------- choosing
