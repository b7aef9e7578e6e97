# SPDX-License-Identifier: GPL-2.0-only
"""Meta-solvers compared with solutions known by hand, or computed in exact arithmetic."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from payoffs import BIASED, DILEMMA, HAWKS, PENNIES, RPS, of_two, random_payoffs

from defiance_zoo.envs.jamming.mixtures import equalise
from defiance_zoo.errors import NotSolved, ParameterError
from defiance_zoo.population import SOLVERS, NormalForm, exploitability, solve
from defiance_zoo.population.games.normal_form import to_unit
from defiance_zoo.population.solvers import nash
from defiance_zoo.population.solvers.nash import find_equilibria
from defiance_zoo.population.solvers.registry import Fallback, Solver, project, solve_in_any_case

# ------------------------------------------------------------------------- nash


def test_rock_paper_scissors_is_solved_exactly() -> None:
    (mixture,) = solve(NormalForm.symmetric(RPS))
    assert np.abs(mixture - 1 / 3).max() < 1e-9
    (mixture,) = solve(NormalForm.symmetric(BIASED))
    assert np.abs(mixture - [1 / 2, 1 / 3, 1 / 6]).max() < 1e-9
    rows, columns = solve(of_two(BIASED))
    assert rows == pytest.approx(mixture)
    assert columns == pytest.approx(mixture)


def test_games_of_two_strategies_are_solved_exactly() -> None:
    game = of_two(PENNIES)
    rows, columns = solve(game)
    assert rows == pytest.approx([0.4, 0.6], abs=1e-9)
    assert columns == pytest.approx([0.4, 0.6], abs=1e-9)
    assert game.values((rows, columns)) == pytest.approx((0.2, -0.2))
    # The same game with a constant sum, at any scale.
    for scale in (1e-9, 1e9):
        other = of_two(PENNIES * scale, (3 - PENNIES) * scale)
        assert solve(other)[0] == pytest.approx([0.4, 0.6], abs=1e-9)


def test_dominated_strategies_are_not_played() -> None:
    rows, columns = solve(of_two([[1, 2], [3, 4]]))
    assert rows.tolist() == [0, 1]
    assert columns.tolist() == [1, 0]


def test_the_jamming_game_has_its_closed_form_solution() -> None:
    values = np.array([54.0, 36.0, 24.0])
    known = equalise(values)
    game = of_two(values[:, np.newaxis] * (1 - np.eye(3)))
    transmitter, jammer = solve(game)
    assert transmitter == pytest.approx(known.transmitter, abs=1e-9)
    assert jammer == pytest.approx(known.jammer, abs=1e-9)
    assert game.values((transmitter, jammer))[0] == pytest.approx(known.value)


def regret(game: NormalForm, mixtures: Any) -> float:
    """Return the greatest gain of a deviation, as a fraction of the range of the seat's payoffs."""
    if game.roles == (0, 0):
        mixtures = mixtures * 2
    (row, column), (first, second) = mixtures, map(to_unit, game.payoffs)
    gains = (
        (first @ column).max() - row @ first @ column,
        (row @ second).max() - (row @ second @ column),
    )
    return float(max(gains))


def test_a_hundred_random_zero_sum_games_are_solved() -> None:
    draw = np.random.default_rng(1)
    for _ in range(100):
        game = of_two(draw.normal(size=draw.integers(2, 9, size=2)))
        assert regret(game, solve(game)) < 1e-9


def test_a_game_of_two_hundred_policies_is_solved_in_less_than_a_second() -> None:
    payoffs = np.random.default_rng(1).normal(size=(200, 200))
    solve(of_two(RPS))  # imports SciPy before the measurement
    began = time.process_time()
    mixtures = solve(of_two(payoffs))
    assert time.process_time() - began < 1
    assert exploitability(of_two(payoffs), mixtures).nash_conv < 1e-9


def test_general_sum_games_get_the_equilibrium_of_the_greatest_payoffs() -> None:
    (defect,) = solve(NormalForm.symmetric(DILEMMA))
    assert defect.tolist() == [0, 1]
    (hawks,) = solve(NormalForm.symmetric(HAWKS))  # the two pure equilibria are not symmetric
    assert hawks == pytest.approx([0.5, 0.5])
    # Of two pure equilibria and a mixed one, the equilibrium with the highest payoffs for both.
    rows, columns = solve(of_two([[4, 0], [0, 1]], [[3, 0], [0, 2]]))
    assert rows.tolist() == columns.tolist() == [1, 0]


def test_nash_solves_five_hundred_random_general_sum_games() -> None:
    """Many of them are degenerate: payoffs that are tied, strategies that earn the same."""
    draw = np.random.default_rng(2)
    for _ in range(500):
        shape = draw.integers(2, 9, size=2)
        game = of_two(random_payoffs(draw, *shape), random_payoffs(draw, *shape))
        mixtures = solve(game)
        assert regret(game, mixtures) <= 1e-9
        for mixture in mixtures:
            assert mixture.min() >= 0
            assert mixture.sum() == pytest.approx(1, abs=1e-12)


def test_nash_solves_two_hundred_random_symmetric_games() -> None:
    draw = np.random.default_rng(3)
    for _ in range(200):
        count = int(draw.integers(2, 9))
        game = NormalForm.symmetric(random_payoffs(draw, count, count))
        assert regret(game, solve(game)) <= 1e-9


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([[7, 0, 4], [1, 5, 7], [8, 7, 2]], [[6, 6, 9], [6, 7, 0], [2, 3, 6]]),
        ([[0, 0], [0, 1]], [[0, 0], [0, 0]]),
        ([[1, 1], [1, 1]], [[1, 2], [2, 1]]),
        ([[3, 3, 0], [4, 0, 1], [0, 4, 5]], [[3, 2, 0], [3, 2, 1], [0, 0, 0]]),
        ([[5]], [[-2]]),
        ([[1, 2, 3]], [[4, 4, 4]]),
    ],
)
@pytest.mark.parametrize(("factor", "offset"), [(1, 0), (1e-12, 0), (1e300, 0), (1, 1e7)])
def test_nash_solves_degenerate_games_at_any_scale(
    rows: Any, columns: Any, factor: float, offset: float
) -> None:
    """Factors and offsets do not change the solution; each seat may have its own."""
    known = solve(of_two(rows, columns))
    game = of_two(np.array(rows) * factor + offset, np.array(columns) * 3.0 - offset)
    assert regret(game, solve(game)) <= 1e-9
    if game.payoffs[0].size > 1 and factor == 1:
        for mixture, other in zip(known, solve(game), strict=True):
            assert mixture == pytest.approx(other, abs=1e-9)


def test_nash_solves_a_symmetric_game_with_rounded_decimals() -> None:
    payoffs = np.array([[0.2, 0.5, 0.9], [0.2, 0.4, 0.7], [0.9, 0.1, 0.1]])
    for offset in (0.0, 1e7):
        (mixture,) = solve(NormalForm.symmetric(payoffs + offset))
        assert mixture == pytest.approx([8 / 15, 0, 7 / 15], abs=1e-7)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("nash", {}),
        ("prd", {"iterations": 500}),
        ("fictitious_play", {"iterations": 500}),
    ],
)
def test_an_offset_of_all_payoffs_does_not_change_mixtures(name: str, options: Any) -> None:
    draw = np.random.default_rng(4)
    payoffs = np.round(draw.normal(size=(5, 5)) * 64) / 64  # exact with the offset, too
    for game, moved in (
        (of_two(payoffs), of_two(payoffs + 1e7)),
        (of_two(payoffs), of_two(payoffs + 1e7, 1e7 - payoffs)),
        (of_two(payoffs, payoffs.T), of_two(payoffs + 1e7, payoffs.T - 1e7)),
        (NormalForm.symmetric(RPS), NormalForm.symmetric(RPS + 1e7)),
    ):
        known = solve(game, name, **options)
        for mixture, other in zip(known, solve(moved, name, **options), strict=True):
            assert mixture == pytest.approx(other, abs=1e-9)


def test_a_general_sum_game_with_a_large_offset_is_not_taken_for_constant_sum() -> None:
    game = of_two(DILEMMA + 1e7, DILEMMA.T + 1e7)
    assert game.constant_sum is None
    assert of_two(DILEMMA + 1e7, 3 - DILEMMA).constant_sum == pytest.approx(1e7 + 3)
    assert [each.tolist() for each in solve(game)] == [[0, 1], [0, 1]]


def test_a_game_of_ten_strategies_is_solved_in_less_than_a_second() -> None:
    rows, columns = np.random.default_rng(5).normal(size=(2, 10, 10))
    game = of_two(rows, columns)
    began = time.process_time()
    mixtures = solve(game)
    assert time.process_time() - began < 1
    for mixture, again in zip(mixtures, solve(game), strict=True):
        assert mixture.tolist() == again.tolist()
    assert regret(game, mixtures) <= 1e-9


def test_pivoting_finds_the_equilibria_of_support_enumeration() -> None:
    """All ends of paths, compared with the equilibria of each pair of supports by equations."""
    draw = np.random.default_rng(6)
    for _ in range(20):
        rows, columns = draw.normal(size=(2, 3, 3))
        known = list(equilibria_by_supports(rows, columns))
        found = list(find_equilibria(rows, columns))
        assert len(found) == 6
        for row, column in found:
            assert any(
                np.abs(row - first).max() + np.abs(column - second).max() < 1e-9
                for first, second in known
            )


def equilibria_by_supports(rows: Any, columns: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the equilibria of a game that is not degenerate."""
    count = len(rows)
    for size in range(1, count + 1):
        for mine, others in itertools.product(itertools.combinations(range(count), size), repeat=2):
            second = indifferent(rows[np.ix_(mine, others)], others, count)
            first = indifferent(columns[np.ix_(mine, others)].T, mine, count)
            if first is None or second is None:
                continue
            earned, lost = rows @ second, first @ columns
            if earned.max() <= earned[mine[0]] + 1e-9 and lost.max() <= lost[others[0]] + 1e-9:
                yield first, second


def indifferent(payoffs: Any, support: Sequence[int], count: int) -> Any:
    """Return the mixture of columns under which all rows earn the same; None if there is none."""
    size = len(payoffs)
    matrix = np.vstack([np.c_[payoffs, -np.ones(size)], np.r_[np.ones(size), 0]])
    if abs(np.linalg.det(matrix)) < 1e-9:
        return None
    shares = np.linalg.solve(matrix, np.r_[np.zeros(size), 1])[:-1]
    mixture = np.zeros(count)
    mixture[list(support)] = shares
    return mixture if shares.min() > 0 else None


def test_nash_raises_not_solved_if_a_path_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nash, "_PATH", 1)
    game = of_two([[2, 0], [0, 1]], [[0, 1], [1, 0]])  # without a pure equilibrium
    with pytest.raises(NotSolved, match="choose solver='prd'"):
        solve(game)


def test_a_failing_solver_is_replaced_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With any error or result of a library there are mixtures; the record names both solvers."""
    game = NormalForm.symmetric(HAWKS)

    def fail(*_arguments: Any) -> Any:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setitem(SOLVERS, "nash", Solver(fail))
    noted: list[Fallback] = []
    mixtures = solve_in_any_case(game, "nash", {}, noted.append)
    assert mixtures[0] == pytest.approx([0.5, 0.5], abs=0.01)
    (fallback,) = noted
    assert (fallback.solver, fallback.instead) == ("nash", "prd")
    assert (fallback.error, fallback.message) == ("ZeroDivisionError", "division by zero")
    monkeypatch.setitem(SOLVERS, "prd", Solver(lambda *_: (np.array([np.nan, 1.0]),)))
    mixtures = solve_in_any_case(game, "prd", {}, noted.append)
    assert mixtures[0].tolist() == [0.5, 0.5]
    _, fallback = noted
    assert (fallback.instead, fallback.error) == ("uniform", "NotSolved")
    solve_in_any_case(game, "uniform", {}, noted.append)
    assert len(noted) == 2


def test_nash_refuses_games_of_three_seats() -> None:
    game = NormalForm((np.zeros((2, 2, 2)),) * 3, (0, 0, 0))
    with pytest.raises(ParameterError, match="'prd' is for any"):
        solve(game)


# --------------------------------------------------------------------- dynamics


def test_replicators_find_stable_strategies() -> None:
    (defect,) = solve(NormalForm.symmetric(DILEMMA), "prd")
    assert defect[1] > 0.98
    (hawks,) = solve(NormalForm.symmetric(HAWKS), "prd")
    assert hawks == pytest.approx([0.5, 0.5], abs=0.01)
    rows, columns = solve(of_two(PENNIES), "prd", floor=0.0)
    assert rows == pytest.approx([0.4, 0.6], abs=0.02)
    assert columns == pytest.approx([0.4, 0.6], abs=0.02)


def test_replicators_solve_games_of_three_seats() -> None:
    """All players earn the number of seats that chose the second strategy, which dominates."""
    array = np.indices((2, 2, 2)).sum(axis=0).astype(np.float64)
    (mixture,) = solve(NormalForm((array,) * 3, (0, 0, 0)), "prd")
    assert mixture[1] > 0.98


def test_projection_onto_the_simplex_is_as_computed_by_hand() -> None:
    assert project(np.array([0.6, 0.4]), 0.0) == pytest.approx([0.6, 0.4])
    assert project(np.array([1.2, 0.2]), 0.0) == pytest.approx([1, 0])
    assert project(np.array([1.2, 0.2]), 0.1) == pytest.approx([0.9, 0.1])
    assert project(np.array([0.5, 0.5, 0.3]), 0.0) == pytest.approx([0.4, 0.4, 0.2])
    assert project(np.array([5.0, -3.0]), 0.5) == pytest.approx([0.5, 0.5])


def test_fictitious_play_approaches_equilibria() -> None:
    rows, columns = solve(of_two(PENNIES), "fictitious_play")
    assert rows == pytest.approx([0.4, 0.6], abs=0.02)
    assert columns == pytest.approx([0.4, 0.6], abs=0.02)
    (defect,) = solve(NormalForm.symmetric(DILEMMA), "fictitious_play", iterations=10)
    assert defect.tolist() == [0, 1]


def test_first_responses_of_fictitious_play_are_as_computed_by_hand() -> None:
    """Against uniform play, rock and scissors earn 1/3; then rock earns 1, and then 1/2."""
    half, quarter, sixth = [1 / 2, 0, 1 / 2], [3 / 4, 0, 1 / 4], [5 / 6, 0, 1 / 6]
    for iterations, expected in ((1, half), (2, quarter), (3, sixth)):
        (mixture,) = solve(NormalForm.symmetric(BIASED), "fictitious_play", iterations=iterations)
        assert mixture == pytest.approx(expected), iterations


# --------------------------------------------------------------------- rankings


def scored(payoffs: Any) -> NormalForm:
    """Return a symmetric game with given scores: wins and half of the draws."""
    array = np.asarray(payoffs, np.float64)
    scores = (np.sign(array) + 1) / 2
    return NormalForm((array, array.T.copy()), (0, 0), (scores, scores.T.copy()))


def test_prioritised_play_is_as_computed_by_hand() -> None:
    """The latest of three always beats the first, never the second: weights 0, 1, 1/2."""
    payoffs = [[0, 1, -1], [-1, 0, 1], [1, -1, 0]]
    (mixture,) = solve(scored(payoffs), "pfsp", power=1.0)
    assert mixture == pytest.approx([0, 2 / 3, 1 / 3])
    (mixture,) = solve(scored(payoffs), "pfsp")
    root = math.sqrt(0.5)
    assert mixture == pytest.approx([0, 1 / (1 + root), root / (1 + root)])


def test_prioritised_play_of_two_roles_is_as_computed_by_hand() -> None:
    """The weight of a policy is its score against the latest policy of the other role."""
    rows = np.array([[0.9, 0.2], [0.4, 0.25]])  # scores of row policies against column policies
    game = NormalForm((rows, -rows), (0, 1), (rows, 1 - rows))
    first, second = solve(game, "pfsp", power=1.0)
    assert first == pytest.approx(np.array([0.2, 0.25]) / 0.45)  # its rate of losses
    assert second == pytest.approx(np.array([0.6, 0.75]) / 1.35)


def test_a_policy_that_beats_all_has_uniform_opponents() -> None:
    scores = np.array([[0.5, 0], [1, 1]])
    game = NormalForm((scores, scores.T.copy()), (0, 0), (scores, scores.T.copy()))
    assert solve(game, "pfsp")[0].tolist() == [0.5, 0.5]
    with pytest.raises(ParameterError, match="needs scores"):
        solve(NormalForm.symmetric(RPS), "pfsp")


def test_high_powers_still_distinguish_strong_opponents() -> None:
    """All weights, 0.2^500 and 0.1^500, underflow to 0 in floating point; their ratio does not."""
    scores = np.array([[0.5, 0.2, 0.2], [0.8, 0.5, 0.1], [0.8, 0.9, 0.9]])
    game = NormalForm((scores, scores.T.copy()), (0, 0), (scores, scores.T.copy()))
    assert solve(game, "pfsp", power=500.0)[0] == pytest.approx([1, 0, 0])


def test_uniform_play_has_equal_weights() -> None:
    assert solve(of_two(np.eye(4)[:, :2]), "uniform")[0].tolist() == [0.25] * 4


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("nahs", {}, "did you mean 'nash'"),
        ("nash", {"iterations": 3}, "unknown key 'iterations'"),
        ("pfsp", {"power": 0.0}, "power=0.0: .*greater than 0"),
        ("fictitious_play", {"iterations": 0}, "iterations=0"),
        ("prd", {"flor": 0.1}, "did you mean 'floor'"),
    ],
)
def test_wrong_names_and_options_are_refused(
    name: str, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        solve(NormalForm.symmetric(RPS), name, **options)


@pytest.mark.parametrize("name", SOLVERS)
def test_all_solvers_return_distributions(name: str) -> None:
    payoffs = np.random.default_rng(3).normal(size=(4, 4))
    for mixture in solve(scored(payoffs - payoffs.T), name):
        assert mixture.shape == (4,)
        assert mixture.min() >= 0
        assert mixture.sum() == pytest.approx(1)
