# SPDX-License-Identifier: GPL-2.0-only
"""Central agents, divided into one agent per device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from defiance_zoo.bridge.codec.spaces import name_elements
from defiance_zoo.environments import divide_by_device


def named_box(devices: int, *names: str) -> spaces.Box:
    """The observation space of an agent that observes these elements of each device."""
    box = spaces.Box(0, 1, (len(names) * devices,), np.float32)
    name_elements(box, tuple(f"{name}_{device}" for device in range(devices) for name in names))
    return box


def test_a_central_agent_divides_by_device() -> None:
    box = spaces.Box(np.tile(np.float32([-1, 0]), 3), np.tile(np.float32([1, 9]), 3))
    division = divide_by_device(box, spaces.MultiDiscrete([4, 4, 4]))
    assert division is not None
    assert division.agents == ("agent_0", "agent_1", "agent_2")
    assert division.observation_space == spaces.Box(np.float32([-1, 0]), np.float32([1, 9]))
    assert division.action_space == spaces.Discrete(4)
    assert np.array_equal(division.split(np.arange(6))[1], [2, 3])
    assert np.array_equal(division.join([3, 0, 2]), [3, 0, 2])
    assert divide_by_device(box, spaces.Discrete(4)) is None


def test_a_central_agent_with_real_actions_divides_by_device() -> None:
    box = named_box(3, "queue", "load")
    division = divide_by_device(box, spaces.Box(-1, 1, (3,), np.float32))
    assert division is not None
    assert division.action_space == spaces.Box(-1, 1, (1,), np.float32)
    joined = division.join([np.float32([0.5]), np.float32([-1]), np.float32([0])])
    assert np.array_equal(joined, np.float32([0.5, -1, 0]))
    assert joined.dtype == np.float32
    assert divide_by_device(box, spaces.Box(-1, 1, (1,), np.float32)) is None  # of one device
    assert divide_by_device(box, spaces.Box(-1, 1, (4,), np.float32)) is None  # 6 / 4 numbers


def test_a_vector_for_each_device_is_divided_into_vectors() -> None:
    division = divide_by_device(spaces.Box(0, 1, (6,)), spaces.Box(-1, 1, (3, 2), np.float32))
    assert division is not None
    assert division.action_space == spaces.Box(-1, 1, (2,), np.float32)
    assert np.array_equal(division.split(np.arange(6))[2], [4, 5])
    rows = [np.float32([0, 1]), np.float32([0.5, 0]), np.float32([-1, -1])]
    assert np.array_equal(division.join(rows), rows)


def test_choices_of_a_device_keep_their_first_number() -> None:
    choices = spaces.MultiDiscrete([3, 3], start=[1, 1])
    division = divide_by_device(spaces.Box(0, 1, (4,)), choices)
    assert division is not None
    assert division.action_space == spaces.Discrete(3, start=1)


@pytest.mark.parametrize(
    "observations",
    [
        pytest.param(spaces.Box(0, 1, (4,), np.float32), id="without names"),
        pytest.param(named_box(1, "queue", "load", "loss", "delay"), id="one device"),
        pytest.param(named_box(4, "queue"), id="other devices"),
        pytest.param(spaces.Box(0, 1, (2, 2), np.float32), id="two axes"),
        pytest.param(spaces.Discrete(4), id="no box"),
    ],
)
def test_two_numbers_of_one_device_are_not_divided(observations: spaces.Space[Any]) -> None:
    assert divide_by_device(observations, spaces.Box(-1, 1, (2,), np.float32)) is None
