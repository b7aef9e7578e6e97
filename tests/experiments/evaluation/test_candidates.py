# SPDX-License-Identifier: GPL-2.0-only
"""The actions that lookahead tries, for every kind of space."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium import spaces

from defiance_zoo.bridge.codec.spaces import Space
from defiance_zoo.experiments.evaluation.lookahead import find, is_allowed, propose


def test_all_actions_of_small_spaces_are_tried() -> None:
    assert propose(spaces.Discrete(20, start=3), 4) == list(range(3, 23))
    both = propose(spaces.MultiDiscrete([2, 3]), 6)
    assert [each.tolist() for each in both] == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert [each.tolist() for each in propose(spaces.MultiBinary(1), 2)] == [[0], [1]]


def test_a_real_action_is_tried_at_equal_distances() -> None:
    found = propose(spaces.Box(-1, 3, (1,), np.float32), 5)
    assert [float(each[0]) for each in found] == [-1, 0, 1, 2, 3]
    few = propose(spaces.Box(0, 2, (), np.int64), 16)
    assert [int(each) for each in few] == [0, 1, 2]


@pytest.mark.parametrize(
    "space",
    [
        spaces.MultiDiscrete([5, 5]),
        spaces.Box(0, 1, (3,), np.float32),
        spaces.Box(-np.inf, np.inf, (1,), np.float32),
        spaces.Dict({"window": spaces.Discrete(4), "rate": spaces.Box(0, 1, (1,), np.float32)}),
    ],
)
def test_actions_of_large_spaces_are_sampled_from_the_given_generator(space: Space) -> None:
    space.seed(3)
    found = propose(space, 8)
    assert len(found) == 8
    assert all(space.contains(each) for each in found)
    space.seed(3)
    assert all(str(a) == str(b) for a, b in zip(found, propose(space, 8), strict=True))


def test_masked_actions_are_not_tried() -> None:
    mask = np.array([0, 1, 1], np.int8)
    assert propose(spaces.Discrete(3, start=5), 8, mask) == [6, 7]
    assert not is_allowed(spaces.Discrete(3, start=5), 5, mask)
    assert is_allowed(spaces.Discrete(3, start=5), 6, mask)
    masks = np.array([1, 0, 0, 1, 1], np.bool_)
    found = propose(spaces.MultiDiscrete([2, 3]), 8, masks)
    assert [each.tolist() for each in found] == [[0, 1], [0, 2]]
    assert not is_allowed(spaces.MultiDiscrete([2, 3]), np.array([1, 1]), masks)
    assert find(np.array([0, 2]), found) == 1
    assert find(np.array([1, 2]), found) is None
