# SPDX-License-Identifier: GPL-2.0-only
"""The spaces of an agent that observes and decides for several devices."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import defiance_zoo.scenario as sc
from defiance_zoo.scenario.spaces import repeat_spaces


@pytest.mark.parametrize(
    "observations",
    [
        sc.Box(-1, 1, (2,)),
        sc.Box([-1, -1], 1),
        sc.Box((-1, -1), [1, 1]),
        gymnasium.spaces.Box(-1, 1, (2,)),
    ],
)
@pytest.mark.parametrize("actions", [sc.Discrete(3, 1), gymnasium.spaces.Discrete(3, start=1)])
def test_spaces_of_the_zoo_and_of_gymnasium_are_repeated_alike(
    observations: Any, actions: Any
) -> None:
    repeated, choices = repeat_spaces(observations, actions, 2)
    assert [*repeated.low] == [-1] * 4
    assert [*repeated.high] == [1] * 4
    assert repeated.dtype == "float32"
    assert choices == sc.MultiDiscrete([3, 3], [1, 1])


def test_numbers_of_actions_form_a_vector_and_vectors_have_rows() -> None:
    _, repeated = repeat_spaces(sc.Box(0, 1, (2,)), sc.Box([0], [1]), 2)
    assert isinstance(repeated, sc.Box)
    assert ([*repeated.low], [*repeated.high]) == ([0, 0], [1, 1])
    actions = sc.Box(np.zeros(2), np.ones(2), element_names=["rate", "share"])
    _, repeated = repeat_spaces(sc.Box(0, 1, (2,)), actions, 3)
    assert isinstance(repeated, sc.Box)
    assert ([*repeated.low], [*repeated.high]) == ([[0, 0]] * 3, [[1, 1]] * 3)
    assert repeated.element_names[2:4] == ["rate_1", "share_1"]


def test_names_of_elements_get_the_number_of_the_vector() -> None:
    observations = sc.Box(0, 1, (2,), element_names=["load", "queue"])
    repeated, _ = repeat_spaces(observations, sc.Discrete(2), 2)
    assert repeated.element_names == ["load_0", "queue_0", "load_1", "queue_1"]


@pytest.mark.parametrize(
    ("observations", "actions", "why"),
    [
        (sc.Box(0, 1, (2, 2)), sc.Discrete(2), r"shape \(2, 2\)"),
        (gymnasium.spaces.Box(0, 1, (2, 2)), sc.Discrete(2), r"shape \(2, 2\)"),
        (gymnasium.spaces.Box(0, 1, ()), sc.Discrete(2), r"shape \(\)"),
        (sc.Box(0, 1, (2,)), sc.Box(0, 1, (2, 2)), r"shape \(2, 2\)"),
        (sc.Discrete(2), sc.Discrete(2), "a Box, and a Discrete or a Box"),
        (sc.Box(0, 1, (2,)), sc.MultiDiscrete([2]), "a Box, and a Discrete or a Box"),
    ],
)
def test_other_spaces_are_refused(observations: Any, actions: Any, why: str) -> None:
    with pytest.raises(TypeError, match=why):
        repeat_spaces(observations, actions, 2)
