# SPDX-License-Identifier: GPL-2.0-only
"""Payoff tables: unknown cells, means and errors by hand, and files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from defiance_zoo.errors import ParameterError
from defiance_zoo.population import Cell, Outcome, PayoffTable, Seats, Statistics
from defiance_zoo.population.payoff_table import (
    read_table,
    write_parquet,
    write_table,
)

TWO = Seats(("agent_0", "agent_1"), ("player", "player"))
ROLES = Seats(("sender", "jammer"), ("sender", "jammer"))


def cell(name: str, other: str, *payoffs: float) -> Cell:
    """Return a cell of two policies of a zero-sum game, from the first one's payoffs."""
    return Cell.of(
        [
            Outcome(
                {name: each, other: -each if other != name else 0.0},
                {name: float(each > 0), other: float(each < 0)},
                {name: [1, 2], other: [0, 1]},
            )
            for each in payoffs
        ]
    )


def test_statistics_are_as_computed_by_hand() -> None:
    known = Statistics.of([1, 2, 3, 6])
    assert (known.n, known.mean) == (4, 3)
    assert known.standard_error == pytest.approx(math.sqrt((4 + 1 + 0 + 9) / 3 / 4))
    assert Statistics.of([5]).standard_error is None
    assert Statistics.of([]) == Statistics(n=0, mean=0, squares=0)


def test_a_cell_is_found_in_any_order_of_its_seats() -> None:
    table = PayoffTable(TWO)
    assert table.get(("a", "b")) is None
    table.put(("b", "a"), cell("b", "a", 1, 3))
    for profile in (("a", "b"), ("b", "a")):
        found = table.get(profile)
        assert found is not None
        assert found.payoffs["b"].mean == 2
        assert found.payoffs["a"].mean == -2
        assert found.episodes == 2
        assert found.scores["b"].mean == 1
        assert found.actions["b"] == [2, 4]
    assert table.missing(TWO.profiles({"player": ["a", "b"]})) == [("a", "a"), ("b", "b")]
    assert len(table) == 1


def test_unknown_cells_stay_unknown() -> None:
    table = PayoffTable(TWO)
    table.put(("a", "a"), cell("a", "a", 0))
    table.put(("a", "b"), cell("b", "a", 2))
    matrix = table.matrix(["a", "b"], ["a", "b"])
    assert matrix[:, 0].tolist() == [0, 2]
    assert matrix[0, 1] == -2
    assert math.isnan(matrix[1, 1])
    with pytest.raises(ParameterError, match=r"1 payoffs are unknown.*\('b', 'b'\)"):
        table.normal_form({"player": ["a", "b"]})
    assert table.normal_form({"player": ["a"]}).payoffs[0].tolist() == [[0]]


def test_the_table_converts_to_a_game() -> None:
    table = PayoffTable(ROLES)
    for number, (sender, jammer) in enumerate([("s", "j"), ("s", "k"), ("t", "j"), ("t", "k")]):
        table.put((sender, jammer), cell(sender, jammer, number))
    members = {"sender": ["s", "t"], "jammer": ["j", "k"]}
    game = table.normal_form(members)
    assert game.roles == (0, 1)
    assert game.payoffs[0].tolist() == [[0, 1], [2, 3]]
    assert game.payoffs[1].tolist() == [[0, -1], [-2, -3]]
    assert game.constant_sum == 0
    assert game.scores is not None
    assert game.scores[0].tolist() == [[0, 1], [1, 1]]


def test_deviations_to_policies_outside_of_the_population_are_used() -> None:
    """Only their payoffs against members are needed, not against each other."""
    table = PayoffTable(TWO)
    for name, other, payoff in (("a", "a", 0), ("b", "a", 1), ("b", "b", 0)):
        table.put((name, other), cell(name, other, payoff))
    table.put(("x", "a"), cell("x", "a", 5))
    table.put(("x", "b"), cell("x", "b", -1))
    (found,) = table.deviations(
        {"player": ["a", "b"]}, {"player": ["x"]}, (np.array([0.25, 0.75]),)
    )
    assert found == pytest.approx([5 / 4 - 3 / 4])
    (none,) = table.deviations({"player": ["a", "b"]}, {}, (np.array([0.25, 0.75]),))
    assert none.shape == (0,)


def test_action_shares_are_over_all_played_episodes() -> None:
    table = PayoffTable(TWO)
    table.put(("a", "b"), cell("a", "b", 1, 1, 1))
    table.put(("a", "c"), cell("c", "a", 1))
    shares = table.action_shares("a")
    assert shares is not None
    assert shares == pytest.approx([3 / 10, 7 / 10])
    assert table.action_shares("nobody") is None


def test_expected_measures_are_as_computed_by_hand(tmp_path: Path) -> None:
    """Means over pairs of seats, weighted by their frequency; None if a measure is missing."""
    table, members = PayoffTable(TWO), {"player": ["a", "b"]}
    for profile, values in ((("a", "a"), [1.0, 3.0]), (("a", "b"), [5.0]), (("b", "b"), [None])):
        names = dict.fromkeys(profile, 0.0)
        table.put(profile, Cell.of([Outcome(names, names, {}, {"jain": each}) for each in values]))
    assert table.expect_measure("jain", members, (np.array([1.0, 0.0]),)) == 2
    assert table.expect_measure("jain", members, (np.array([0.5, 0.5]),)) is None
    table.put(("b", "b"), Cell.of([Outcome({"b": 0.0}, {"b": 0.0}, {}, {"jain": 9.0})]))
    found = table.expect_measure("jain", members, (np.array([0.5, 0.5]),))
    assert found == pytest.approx((2 + 2 * 5 + 9) / 4)
    assert table.expect_measure("unheard of", members, (np.array([0.5, 0.5]),)) is None
    write_parquet(table, tmp_path / "payoffs.parquet")
    rows = pq.read_table(tmp_path / "payoffs.parquet").to_pylist()
    assert [row["measure/jain"] for row in rows] == [2, 5, 5, 9]


def test_games_of_three_seats_have_no_matrix() -> None:
    with pytest.raises(ParameterError, match="3 seats has no matrix"):
        PayoffTable(Seats(("a", "b", "c"), ("r",) * 3)).matrix([], [])


def test_files_contain_the_whole_table(tmp_path: Path) -> None:
    table = PayoffTable(TWO)
    table.put(("a", "b"), cell("b", "a", 1, 2, 4))
    table.put(("a", "a"), cell("a", "a", 0))
    write_table(table, tmp_path / "payoffs.json")
    again = read_table(tmp_path / "payoffs.json")
    assert again == table
    write_table(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "payoffs.json").read_text()
    again.put(("b", "b"), cell("b", "b", 0))
    assert again != table

    write_parquet(table, tmp_path / "payoffs.parquet")
    rows = pq.read_table(tmp_path / "payoffs.parquet").to_pylist()
    by_policy = {(row["agent_0"], row["agent_1"], row["policy"]): row for row in rows}
    row = by_policy["a", "b", "b"]
    assert row["mean"] == pytest.approx(7 / 3)
    assert row["standard_error"] == pytest.approx(Statistics.of([1, 2, 4]).standard_error)
    assert (row["episodes"], row["score"], row["role"]) == (3, 1, "player")
    assert by_policy["a", "a", "a"]["standard_error"] is None
    assert len(rows) == 3


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"agents": 3}'])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "payoffs.json"
    path.write_text(text)
    with pytest.raises(ParameterError, match="holds no payoff table"):
        read_table(path)
