# SPDX-License-Identifier: GPL-2.0-only
"""`constant`, the policy that takes the same action in any environment."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from command_calls import call, call_for_json
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Space, Text, Tuple

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import constant_action

NESTED = Dict({"rate": Box(0, 9, (2,)), "way": Tuple([Discrete(3), MultiBinary(2)])})


@pytest.mark.parametrize(
    ("space", "value", "action"),
    [
        (Discrete(3), 2, 2),
        (Discrete(3, start=-1), -1.0, -1),
        (Box(-1, 1, (2, 2)), 0.5, [[0.5, 0.5], [0.5, 0.5]]),
        (Box(-1, 1, (2, 2)), [0, 1], [[0, 1], [0, 1]]),
        (Box(0, 255, (2,), np.uint8), 7, [7, 7]),
        (MultiDiscrete([3, 4]), [2, 3], [2, 3]),
        (MultiBinary(3), 1, [1, 1, 1]),
        (Text(4), "abc", "abc"),
        (NESTED, 1, {"rate": [1, 1], "way": (1, [1, 1])}),
        (NESTED, {"rate": [2, 3], "way": [0, [0, 1]]}, {"rate": [2, 3], "way": (0, [0, 1])}),
    ],
)
def test_a_value_becomes_an_action_of_the_space(space: Space[Any], value: Any, action: Any) -> None:
    found = constant_action(space, value)
    assert space.contains(found)
    np.testing.assert_equal(found, action)


@pytest.mark.parametrize(
    ("space", "value"),
    [
        (Discrete(3), 3),
        (Discrete(3), 0.5),
        (Discrete(3), True),
        (Discrete(3), "2"),
        (Discrete(3), [1, 2]),
        (Discrete(3), float("nan")),
        (Discrete(3), 10**30),
        (Box(-1, 1, (2,)), 2),
        (Box(-1, 1, (2,)), [0, 0, 0]),
        (Box(-1, 1, (2,)), None),
        (Box(0, 255, (2,), np.uint8), 256),
        (Box(0, 255, (2,), np.uint8), -1),
        (MultiBinary(2), 2),
        (Text(4), 1),
        (NESTED, {"rate": 1}),
        (NESTED, {"rate": 1, "way": [1]}),
    ],
)
def test_other_values_are_refused(space: Space[Any], value: Any) -> None:
    with pytest.raises(ParameterError, match=r"constant: action=.* is not in"):
        constant_action(space, value)


def test_actions_do_not_share_memory() -> None:
    """An environment may keep or change what it is given."""
    given = [0.0, 0.0]
    first = constant_action(Box(-1, 1, (2,)), given)
    first[:] = 1
    given[:] = [0.5, 0.5]
    assert first.tolist() == [1, 1]


def test_it_plays_only_if_it_is_named() -> None:
    flags = ("eval", "cart_pole_v0", "-p", "duration=200ms", "--episodes", 1)
    assert "constant" not in call_for_json(*flags)["policies"]
    found = call_for_json(*flags, "--policy", "constant", "-o", "constant.action=1")
    assert list(found["policies"]) == ["constant"]
    status, printed, errors = call(*flags, "--policy", "constant", "-o", "constant.action=7")
    assert (status, printed) == (2, "")
    assert "constant: action=7 is not in Discrete(2)" in errors
