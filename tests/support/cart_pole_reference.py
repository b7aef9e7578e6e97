# SPDX-License-Identifier: GPL-2.0-only
"""A second implementation of the cart-pole, in Python: pushes take effect at their arrival."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

INTERVAL_NS = 20_000_000


class ReferenceCart:
    """A cart with Euler steps from one change of the force, or sample, to the next."""

    def __init__(self, state: Sequence[float]) -> None:
        self.state = tuple(state)
        self._force = 0.0
        self._time_ns = 0

    def push(self, time_ns: int, action: int) -> None:
        """Apply an action at a time in nanoseconds."""
        self.advance(time_ns)
        self._force = 10.0 if action == 1 else -10.0

    def advance(self, time_ns: int) -> np.ndarray:
        """Integrate to a time in nanoseconds, and return the state, shape (4,), float32."""
        dt = (time_ns - self._time_ns) / 1e9
        self._time_ns = time_ns
        x, x_dot, theta, theta_dot = self.state
        sin, cos = math.sin(theta), math.cos(theta)
        temp = (self._force + 0.05 * (theta_dot * theta_dot) * sin) / 1.1
        theta_acc = (9.8 * sin - cos * temp) / (0.5 * (4.0 / 3.0 - 0.1 * (cos * cos) / 1.1))
        x_acc = temp - 0.05 * theta_acc * cos / 1.1
        self.state = (
            x + dt * x_dot,
            x_dot + dt * x_acc,
            theta + dt * theta_dot,
            theta_dot + dt * theta_acc,
        )
        return np.array(self.state, np.float32)
