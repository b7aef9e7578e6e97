# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written policies for comparison."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

Policy = Callable[[Any], Any]
"""A policy: from an observation, float32 of shape (4 * carts,), to an action."""

POLE_GAINS = np.array([0.0, 0.0, 1.0, 0.25])


def random_policy(action_space: spaces.Space[Any], seed: int) -> Policy:
    """Return a policy that draws actions uniformly."""
    action_space.seed(seed)
    return lambda _observation: action_space.sample()


def pole_policy(action_space: spaces.Space[Any]) -> Policy:
    """Return a policy that pushes towards the side of the fall: sign(theta + theta_dot / 4)."""
    return _linear(action_space, POLE_GAINS)


def state_feedback_policy(action_space: spaces.Space[Any]) -> Policy:
    """Return linear feedback of the full state, by sign.

    The gains are those of the linear-quadratic regulator of the pole linearised upright, with
    unit weights, for the constants of Gymnasium's CartPole-v1 (`lqr_gains`).
    """
    return _linear(action_space, lqr_gains())


def lqr_gains() -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the gains, shape (4,), of the discrete-time LQR by value iteration.

    The model is the derivative of the equations of motion at the upright position, Euler step
    20 ms, with unit weights on state and force.
    """
    mass, half_length, gravity, tau, total = 0.1, 0.5, 9.8, 0.02, 1.1
    inertia = half_length * (4.0 / 3.0 - mass / total)
    theta_acc = np.array([0.0, 0.0, gravity / inertia, 0.0])
    theta_push = -1.0 / (total * inertia)
    x_acc = -mass * half_length / total * theta_acc
    x_push = 1.0 / total - mass * half_length / total * theta_push
    rates = np.array([[0.0, 1.0, 0.0, 0.0], x_acc, [0.0, 0.0, 0.0, 1.0], theta_acc])
    step = np.eye(4) + tau * rates
    push = tau * np.array([[0.0], [x_push], [0.0], [theta_push]])
    cost = np.eye(4)
    for _ in range(2000):
        gain = np.linalg.solve(1.0 + push.T @ cost @ push, push.T @ cost @ step)
        cost = np.eye(4) + step.T @ cost @ (step - push @ gain)
    return -gain[0]  # type: ignore[no-any-return] # NumPy types an index as Any


def _linear(action_space: spaces.Space[Any], gains: np.ndarray[Any, np.dtype[Any]]) -> Policy:
    central = isinstance(action_space, spaces.MultiDiscrete)

    def act(observation: Any) -> Any:
        right = np.asarray(observation).reshape(-1, 4) @ gains > 0
        return right.astype(np.int64) if central else int(right[0])

    return act
