# SPDX-License-Identifier: GPL-2.0-only
"""Meta-solvers against solutions that are known by hand, and nashpy's."""

from __future__ import annotations

import math
import sys
import time
from typing import Any

import nashpy
import numpy as np
import pytest

from defiance_zoo.envs.jamming.mixtures import equalise
from defiance_zoo.errors import DependencyMissing, ParameterError
from defiance_zoo.population import SOLVERS, NormalForm, exploitability, solve
from defiance_zoo.population.solvers.dynamics import project

RPS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], np.float64)

# Rock beats scissors by 2, paper rock by 1, scissors paper by 3: (1/2, 1/3, 1/6).
BIASED = np.array([[0, -1, 2], [1, 0, -3], [-2, 3, 0]], np.float64)

PENNIES = np.array([[2, -1], [-1, 1]], np.float64)
"""The rows' equilibrium is (2/5, 3/5), the value 1/5."""

# Who defects alone gets 5, both 1; both cooperate: 3.
DILEMMA = np.array([[3, 0], [5, 1]], np.float64)

# Hawks fight for 2 at a cost of 4: half of all are hawks.
HAWKS = np.array([[-1, 2], [0, 1]], np.float64)


# ------------------------------------------------------------------------- nash


def test_rock_paper_scissors_is_exact() -> None:
    (mixture,) = solve(NormalForm.symmetric(RPS))
    assert np.abs(mixture - 1 / 3).max() < 1e-9
    (mixture,) = solve(NormalForm.symmetric(BIASED))
    assert np.abs(mixture - [1 / 2, 1 / 3, 1 / 6]).max() < 1e-9
    rows, columns = solve(NormalForm.of_two(BIASED))
    assert rows == pytest.approx(mixture)
    assert columns == pytest.approx(mixture)


def test_two_by_two() -> None:
    game = NormalForm.of_two(PENNIES)
    rows, columns = solve(game)
    assert rows == pytest.approx([0.4, 0.6], abs=1e-9)
    assert columns == pytest.approx([0.4, 0.6], abs=1e-9)
    assert game.values((rows, columns)) == pytest.approx((0.2, -0.2))
    # The same of a constant sum, at any scale.
    for scale in (1e-9, 1e9):
        other = NormalForm.of_two(PENNIES * scale, (3 - PENNIES) * scale)
        assert solve(other)[0] == pytest.approx([0.4, 0.6], abs=1e-9)


def test_dominated_strategies_are_not_played() -> None:
    rows, columns = solve(NormalForm.of_two([[1, 2], [3, 4]]))
    assert rows.tolist() == [0, 1]
    assert columns.tolist() == [1, 0]


def test_jamming_has_its_closed_form() -> None:
    values = np.array([54.0, 36.0, 24.0])
    known = equalise(values)
    game = NormalForm.of_two(values[:, np.newaxis] * (1 - np.eye(3)))
    transmitter, jammer = solve(game)
    assert transmitter == pytest.approx(known.transmitter, abs=1e-9)
    assert jammer == pytest.approx(known.jammer, abs=1e-9)
    assert game.values((transmitter, jammer))[0] == pytest.approx(known.value)


def test_a_hundred_random_games_are_as_nashpy_solves_them() -> None:
    draw = np.random.default_rng(1)
    for _ in range(100):
        payoffs = draw.normal(size=draw.integers(2, 9, size=2))
        rows, columns = solve(NormalForm.of_two(payoffs))
        theirs = nashpy.Game(payoffs).linear_program()
        assert rows == pytest.approx(theirs[0], abs=1e-6)
        assert columns == pytest.approx(theirs[1], abs=1e-6)
        assert exploitability(NormalForm.of_two(payoffs), (rows, columns)).nash_conv < 1e-9


def test_two_hundred_policies_take_less_than_a_second() -> None:
    payoffs = np.random.default_rng(1).normal(size=(200, 200))
    solve(NormalForm.of_two(RPS))  # imports SciPy
    began = time.process_time()
    mixtures = solve(NormalForm.of_two(payoffs))
    assert time.process_time() - began < 1
    assert exploitability(NormalForm.of_two(payoffs), mixtures).nash_conv < 1e-9


def test_general_sums_are_solved_by_enumeration() -> None:
    (defect,) = solve(NormalForm.symmetric(DILEMMA))
    assert defect.tolist() == [0, 1]
    (hawks,) = solve(NormalForm.symmetric(HAWKS))  # the two others are not symmetric
    assert hawks == pytest.approx([0.5, 0.5])
    # Of two pure equilibria and a mixed one, that which both earn most in.
    rows, columns = solve(NormalForm.of_two([[4, 0], [0, 1]], [[3, 0], [0, 2]]))
    assert rows.tolist() == columns.tolist() == [1, 0]


def test_general_sums_need_nashpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nashpy", None)
    with pytest.raises(DependencyMissing, match=r"defiance-zoo\[population\].*'prd'"):
        solve(NormalForm.symmetric(DILEMMA))
    assert solve(NormalForm.symmetric(RPS))


def test_nash_is_for_two_seats() -> None:
    game = NormalForm((np.zeros((2, 2, 2)),) * 3, (0, 0, 0))
    with pytest.raises(ParameterError, match="'prd' is for any"):
        solve(game)


# --------------------------------------------------------------------- dynamics


def test_replicators_find_what_is_stable() -> None:
    (defect,) = solve(NormalForm.symmetric(DILEMMA), "prd")
    assert defect[1] > 0.98
    (hawks,) = solve(NormalForm.symmetric(HAWKS), "prd")
    assert hawks == pytest.approx([0.5, 0.5], abs=0.01)
    rows, columns = solve(NormalForm.of_two(PENNIES), "prd", floor=0.0)
    assert rows == pytest.approx([0.4, 0.6], abs=0.02)
    assert columns == pytest.approx([0.4, 0.6], abs=0.02)


def test_replicators_play_games_of_three() -> None:
    """All earn the number of seats that chose the second thing: it dominates."""
    array = np.indices((2, 2, 2)).sum(axis=0).astype(np.float64)
    (mixture,) = solve(NormalForm((array,) * 3, (0, 0, 0)), "prd")
    assert mixture[1] > 0.98


def test_projection_by_hand() -> None:
    assert project(np.array([0.6, 0.4]), 0.0) == pytest.approx([0.6, 0.4])
    assert project(np.array([1.2, 0.2]), 0.0) == pytest.approx([1, 0])
    assert project(np.array([1.2, 0.2]), 0.1) == pytest.approx([0.9, 0.1])
    assert project(np.array([0.5, 0.5, 0.3]), 0.0) == pytest.approx([0.4, 0.4, 0.2])
    assert project(np.array([5.0, -3.0]), 0.5) == pytest.approx([0.5, 0.5])


def test_fictitious_players_come_near() -> None:
    rows, columns = solve(NormalForm.of_two(PENNIES), "fictitious_play")
    assert rows == pytest.approx([0.4, 0.6], abs=0.02)
    assert columns == pytest.approx([0.4, 0.6], abs=0.02)
    (defect,) = solve(NormalForm.symmetric(DILEMMA), "fictitious_play", iterations=10)
    assert defect.tolist() == [0, 1]


def test_first_answers_of_fictitious_players_by_hand() -> None:
    """Against uniform play rock and scissors earn 1/3; then rock earns 1, and then 1/2."""
    half, quarter, sixth = [1 / 2, 0, 1 / 2], [3 / 4, 0, 1 / 4], [5 / 6, 0, 1 / 6]
    for iterations, expected in ((1, half), (2, quarter), (3, sixth)):
        (mixture,) = solve(NormalForm.symmetric(BIASED), "fictitious_play", iterations=iterations)
        assert mixture == pytest.approx(expected), iterations


# --------------------------------------------------------------------- rankings


def scored(payoffs: Any) -> NormalForm:
    """Return a symmetric game whose scores are wins and half of the draws."""
    array = np.asarray(payoffs, np.float64)
    scores = (np.sign(array) + 1) / 2
    return NormalForm((array, array.T.copy()), (0, 0), (scores, scores.T.copy()))


def test_prioritised_play_by_hand() -> None:
    """The latest of three wins against the first, never against the second: weights 0, 1, 1/2."""
    payoffs = [[0, 1, -1], [-1, 0, 1], [1, -1, 0]]
    (mixture,) = solve(scored(payoffs), "pfsp", power=1.0)
    assert mixture == pytest.approx([0, 2 / 3, 1 / 3])
    (mixture,) = solve(scored(payoffs), "pfsp")
    root = math.sqrt(0.5)
    assert mixture == pytest.approx([0, 1 / (1 + root), root / (1 + root)])


def test_prioritised_play_of_two_roles() -> None:
    """Each role is met by how often it beats the latest of the other one."""
    rows = np.array([[0.9, 0.2], [0.4, 0.25]])  # scores of row policies against column policies
    game = NormalForm((rows, -rows), (0, 1), (rows, 1 - rows))
    first, second = solve(game, "pfsp", power=1.0)
    assert first == pytest.approx(np.array([0.2, 0.25]) / 0.45)  # the latest column loses so often
    assert second == pytest.approx(np.array([0.6, 0.75]) / 1.35)


def test_who_beats_all_meets_all_alike() -> None:
    scores = np.array([[0.5, 0], [1, 1]])
    game = NormalForm((scores, scores.T.copy()), (0, 0), (scores, scores.T.copy()))
    assert solve(game, "pfsp")[0].tolist() == [0.5, 0.5]
    with pytest.raises(ParameterError, match="needs scores"):
        solve(NormalForm.symmetric(RPS), "pfsp")


def test_evolution_of_two_strategies_by_hand() -> None:
    """Takeovers up and down stand as e^((m - 1) d), d being what the better one earns more."""
    game = NormalForm.symmetric([[0, 1], [-1, 0]])  # d is 2 * intensity / range, which is 2
    (mixture,) = solve(game, "alpha_rank", intensity=0.3, population=5)
    assert mixture[0] / mixture[1] == pytest.approx(math.exp(4 * 0.3))
    (mixture,) = solve(game, "alpha_rank")
    assert mixture == pytest.approx([1, 0])


def test_evolution_goes_round_in_a_circle() -> None:
    assert solve(NormalForm.symmetric(RPS), "alpha_rank")[0] == pytest.approx([1 / 3] * 3)
    rows, columns = solve(NormalForm.of_two([[1, -1], [-1, 1]]), "alpha_rank", intensity=1.0)
    assert rows == pytest.approx([0.5, 0.5])
    assert columns == pytest.approx([0.5, 0.5])


def test_evolution_of_two_roles_finds_what_dominates() -> None:
    rows, columns = solve(NormalForm.of_two(DILEMMA, DILEMMA.T), "alpha_rank")
    assert rows == pytest.approx([0, 1])
    assert columns == pytest.approx([0, 1])
    three = NormalForm((np.zeros((2, 2, 2)),) * 3, (0, 0, 0))
    with pytest.raises(ParameterError, match="alpha_rank"):
        solve(three, "alpha_rank")


# ---------------------------------------------------------------------- choosing


def test_uniform() -> None:
    assert solve(NormalForm.of_two(np.eye(4)[:, :2]), "uniform")[0].tolist() == [0.25] * 4


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("nahs", {}, "did you mean 'nash'"),
        ("nash", {"iterations": 3}, "unknown key 'iterations'"),
        ("pfsp", {"power": 0.0}, "power=0.0: .*greater than 0"),
        ("fictitious_play", {"iterations": 0}, "iterations=0"),
        ("prd", {"flor": 0.1}, "did you mean 'floor'"),
        ("alpha_rank", {"population": 1}, "population=1"),
    ],
)
def test_wrong_names_and_options_are_refused(
    name: str, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        solve(NormalForm.symmetric(RPS), name, **options)


@pytest.mark.parametrize("name", SOLVERS)
def test_all_return_distributions(name: str) -> None:
    payoffs = np.random.default_rng(3).normal(size=(4, 4))
    for mixture in solve(scored(payoffs - payoffs.T), name):
        assert mixture.shape == (4,)
        assert mixture.min() >= 0
        assert mixture.sum() == pytest.approx(1)
