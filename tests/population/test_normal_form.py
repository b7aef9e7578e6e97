# SPDX-License-Identifier: GPL-2.0-only
"""Games as arrays: payoffs of strategies against mixtures, and gains of deviations."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from payoffs import of_two

from defiance_zoo.errors import ParameterError
from defiance_zoo.population import NormalForm, Seats, exploitability

RPS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], np.float64)


def test_deviations_of_two_roles_are_as_computed_by_hand() -> None:
    """Rows [[1, 2], [3, 4]] against (1/4, 3/4), columns against (1/2, 1/2)."""
    game = of_two([[1, 2], [3, 4]])
    mixtures = (np.array([0.5, 0.5]), np.array([0.25, 0.75]))
    rows, columns = game.deviations(mixtures)
    assert rows == pytest.approx([1.75, 3.75])
    assert columns == pytest.approx([-2, -3])
    assert game.values(mixtures) == pytest.approx((2.75, -2.75))
    found = exploitability(game, mixtures)
    assert found.gains == pytest.approx((1.0, 0.75))
    assert found.nash_conv == pytest.approx(1.75)
    assert found.mean == pytest.approx(0.875)


def test_deviations_of_three_seats_of_a_role_are_as_computed_by_hand() -> None:
    """A player that alone chose one of two options gets 1; two others choose the first with 3/4."""
    payoffs = []
    for seat in range(3):
        array = np.zeros((2, 2, 2))
        for choice in itertools.product(range(2), repeat=3):
            array[choice] = choice.count(choice[seat]) == 1
        payoffs.append(array)
    game = NormalForm(tuple(payoffs), (0, 0, 0))
    mixtures = (np.array([0.75, 0.25]),)
    assert game.deviations(mixtures)[0] == pytest.approx([1 / 16, 9 / 16])
    value = 0.75 / 16 + 0.25 * 9 / 16
    assert exploitability(game, mixtures).nash_conv == pytest.approx(3 * (9 / 16 - value))


def test_nash_conv_of_rock_paper_scissors_is_exact() -> None:
    game = NormalForm.symmetric(RPS)
    rock, uniform = np.array([1.0, 0, 0]), np.full(3, 1 / 3)
    assert exploitability(game, (rock,)).nash_conv == 2
    assert exploitability(game, (uniform,)).nash_conv == pytest.approx(0)
    half = np.array([0.5, 0.5, 0])  # paper earns 1/2 against it, and it earns 0 against itself
    assert exploitability(game, (half,)).nash_conv == pytest.approx(1)


def test_further_deviations_raise_nash_conv() -> None:
    """A strategy outside of the game, such as a trained best response, raises the possible gain."""
    game = of_two([[0.0]])
    mixtures = (np.ones(1), np.ones(1))
    assert exploitability(game, mixtures).nash_conv == 0
    further = (np.array([0.25, -1]), np.zeros(0))
    assert exploitability(game, mixtures, further).gains == (0.25, 0)


@pytest.mark.parametrize(
    ("payoffs", "columns", "total"),
    [
        ([[1, -1], [-1, 1]], None, 0),
        ([[3, 1], [1, 3]], [[1, 3], [3, 1]], 4),
        ([[1, -1], [-1, 1]], [[-1, 1], [1, 1]], None),
        # A zero sum in one role only is not enough, in either role.
        ([[1, -1], [-1, 1]], [[-1, -5], [1, -1]], None),
        ([[0, 0], [0, 0]], None, 0),
    ],
)
def test_constant_sum_games_are_recognised(payoffs: Any, columns: Any, total: float | None) -> None:
    assert of_two(payoffs, columns).constant_sum == total


@pytest.mark.parametrize(
    ("payoffs", "roles", "words"),
    [
        ((np.zeros((2, 2)),), (0, 1), "a role for each"),
        ((np.zeros((2, 2)), np.zeros((2, 3))), (0, 1), "seat 1 have the shape"),
        ((np.zeros((2, 3)), np.zeros((2, 3))), (0, 0), "shape"),
        ((np.full((2, 2), np.nan),) * 2, (0, 1), "unknown or not finite"),
        ((np.zeros((2, 2)),) * 2, (0, 2), "count from 0"),
    ],
)
def test_invalid_games_are_refused(payoffs: Any, roles: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        NormalForm(payoffs, roles)


# ------------------------------------------------------------------------ seats


def test_profiles_of_exchangeable_seats_are_multisets() -> None:
    """Three seats of one role and one of another: multisets of the one, times the others."""
    seats = Seats.of(["a_0", "b", "a_1", "a_2"], {"a": "a_*", "b": "b"})
    assert seats.roles == ("a", "b", "a", "a")
    assert seats.numbers == (0, 1, 0, 0)
    members = {"a": ["x", "y"], "b": ["u", "v", "w"]}
    profiles = list(seats.profiles(members))
    assert len(profiles) == len(set(profiles)) == 4 * 3
    assert ("x", "u", "y", "y") in profiles
    assert seats.sort(("y", "u", "y", "x")) == ("x", "u", "y", "y")
    turned = [seats.rotate(("x", "u", "y", "z"), turns) for turns in range(4)]
    assert turned == [
        ("x", "u", "y", "z"),
        ("y", "u", "z", "x"),
        ("z", "u", "x", "y"),
        ("x", "u", "y", "z"),
    ]


@pytest.mark.parametrize(
    ("agents", "patterns", "words"),
    [
        (["agent_0"], {"all": "*"}, "two agents or more"),
        (["agent_0", "agent_1"], {"one": "agent_0"}, "agent_1 has no role"),
        (["agent_0", "agent_1"], {"one": "*", "other": "agent_1"}, "agent_1 has the roles"),
        (["agent_0", "agent_1"], {"all": "*", "none": "car_*"}, r"has a role of \['none'\]"),
    ],
)
def test_invalid_roles_are_refused(agents: list[str], patterns: dict[str, str], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Seats.of(agents, patterns)
