# SPDX-License-Identifier: GPL-2.0-only
"""Spaces of every kind that the protocol knows."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

INTEGERS = [np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)]
SPACES: list[spaces.Space[Any]] = [
    spaces.Box(-1, 1, (2, 3), np.float32),
    spaces.Box(-np.inf, np.inf, (4,), np.float64),
    spaces.Box(np.array([-1, -2], np.float32), np.array([1, 2], np.float32)),
    spaces.Box(0, 1, (), np.float64),
    spaces.Box(0, 1, (0, 3), np.float32),
    spaces.Box(0, 255, (2, 3, 4, 5), np.uint8),
    *(spaces.Box(np.iinfo(dtype).min, np.iinfo(dtype).max, (3,), dtype.type) for dtype in INTEGERS),
    spaces.Discrete(5),
    spaces.Discrete(3, start=-7),
    spaces.MultiDiscrete([3, 4], start=[0, -2]),
    spaces.MultiDiscrete(np.array([[2, 3], [4, 5]])),
    spaces.MultiBinary(4),
    spaces.MultiBinary((2, 3)),
    spaces.Text(8),
    spaces.Text(5, min_length=2, charset="aé€"),
    spaces.Tuple([spaces.Discrete(2), spaces.Tuple([spaces.Box(0, 1, (1,))])]),
    spaces.Tuple([]),
    spaces.Dict({"b": spaces.Discrete(2), "a": spaces.Dict({"é": spaces.MultiBinary(1)})}),
    spaces.Dict({}),
]
