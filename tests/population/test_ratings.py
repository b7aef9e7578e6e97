# SPDX-License-Identifier: GPL-2.0-only
"""Figures of populations, computed by hand: Elo, relative performance, transitivity, heat maps."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib.image import imread

from defiance_zoo.population import Outcome, PayoffTable, Seats
from defiance_zoo.population.payoff_table import Cell
from defiance_zoo.population.ratings import (
    draw_heat_map,
    elo_ratings,
    expected_score,
    is_symmetric,
    progress,
    rate,
    relative_performance,
    to_pixels,
    to_png,
    transitivity,
)

RPS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], np.float64)


def table_of(payoffs: np.ndarray, names: str) -> PayoffTable:
    """Return the table of a symmetric game of two, with one match per pair."""
    seats = Seats(("agent_0", "agent_1"), ("player", "player"))
    table = PayoffTable(seats)
    for row, name in enumerate(names):
        for column, other in enumerate(names[: row + 1]):
            mine, theirs = float(payoffs[row, column]), float(payoffs[column, row])
            score = (np.sign(mine - theirs) + 1) / 2
            outcome = Outcome({name: mine, other: theirs}, {name: score, other: 1 - score})
            table.put((name, other), Cell.of([outcome]))
    return table


def test_elo_ratings_are_as_computed_by_hand() -> None:
    assert expected_score(1400, 1000) == pytest.approx(10 / 11)
    assert rate([("a", "b", 1.0)]) == {"a": 1008, "b": 992}
    assert rate([("a", "b", 0.5)]) == {"a": 1000, "b": 1000}
    second = rate([("a", "b", 1.0), ("a", "b", 0.0)])
    predicted = 1 / (1 + 10 ** (-16 / 400))
    assert second["a"] == pytest.approx(1008 - 16 * predicted)
    assert sum(second.values()) == pytest.approx(2000)


def test_relative_performance_is_as_computed_by_hand() -> None:
    """The value of biased pennies is 1/5; a dominant strategy earns its minimum payoff."""
    assert relative_performance([[2, -1], [-1, 1]]) == pytest.approx(0.2)
    assert relative_performance([[3, 1], [0, 0]]) == pytest.approx(1)
    assert relative_performance(RPS) == pytest.approx(0)
    assert relative_performance([[1, -1]]) == pytest.approx(-1)


def test_transitivity_is_as_computed_by_hand() -> None:
    strengths = np.array([0.0, 1, 3, 7])
    ordered = strengths[:, np.newaxis] - strengths
    assert transitivity(ordered) == pytest.approx(1)
    assert transitivity(RPS) == pytest.approx(0)
    assert transitivity(np.zeros((2, 2))) is None
    # Strengths 1, 0, -1 have the squared norm 2 (1 + 1 + 4), the cycle has 6.
    mixed = np.array([[0, 1, 2], [-1, 0, 1], [-2, -1, 0]]) + RPS
    assert transitivity(mixed) == pytest.approx(12 / 18)
    assert transitivity(1e6 * mixed) == pytest.approx(12 / 18)
    assert transitivity([[0, 1], [1, 0]]) is None  # not of zero sum
    assert transitivity([[0, np.nan], [1, 0]]) is None
    assert transitivity([]) is None


def test_figures_of_a_population_are_as_computed_by_hand() -> None:
    table = table_of(RPS, "rps")
    assert is_symmetric(table)
    assert transitivity(table.matrix("rps", "rps")) == pytest.approx(0)
    # The later policies, p and s, lose nothing against r only: p beats it.
    assert progress(table, "rps") == pytest.approx(1)
    assert progress(table, "r") is None
    assert elo_ratings(table, "rp") == {"r": 992, "p": 1008}
    assert set(elo_ratings(table, "rpsx")) == set("rps")  # x was not played
    assert transitivity(table.matrix("rpsx", "rpsx")) is None


def test_heat_maps_distinguish_gains_losses_and_unknown_cells() -> None:
    payoffs = np.array([[0, 2.0], [-2.0, np.nan]])
    figure = draw_heat_map(payoffs, ["a", "b"], ["a", "b"], "who beats whom")
    pixels = to_pixels(figure)
    assert pixels.dtype == np.uint8
    assert pixels.ndim == 3
    again = imread(io.BytesIO(to_png(figure)))
    assert again.shape[:2] == pixels.shape[:2]
    figure.canvas.draw()
    axes = figure.axes[0]
    colours = {}
    for row in range(2):
        for column in range(2):
            x, y = axes.transData.transform((column - 0.3, row - 0.3))
            colours[row, column] = tuple(int(each) for each in pixels[len(pixels) - int(y), int(x)])
    assert colours[0, 1][2] > colours[0, 1][0]  # blue: the row's policy wins
    assert colours[1, 0][0] > colours[1, 0][2]  # red: it loses
    assert colours[1, 1] == (204, 204, 204)  # unknown
    assert min(colours[0, 0]) > 240  # a draw
    assert [text.get_text() for text in axes.texts] == ["0", "2", "-2"]
    draw_heat_map(np.full((1, 1), np.nan), ["a"], ["a"], "nothing yet")
