# SPDX-License-Identifier: GPL-2.0-only
"""Central agents, divided into one agent per device."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from defiance_zoo.environments import divide_by_device


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
    box = spaces.Box(np.tile(np.float32([-1, 0]), 3), np.tile(np.float32([1, 9]), 3))
    division = divide_by_device(box, spaces.Box(-1, 1, (3,), np.float32))
    assert division is not None
    assert division.action_space == spaces.Box(-1, 1, (1,), np.float32)
    joined = division.join([np.float32([0.5]), np.float32([-1]), np.float32([0])])
    assert np.array_equal(joined, np.float32([0.5, -1, 0]))
    assert joined.dtype == np.float32
    assert divide_by_device(box, spaces.Box(-1, 1, (1,), np.float32)) is None  # of one device
    assert divide_by_device(box, spaces.Box(-1, 1, (4,), np.float32)) is None  # 6 / 4 numbers
