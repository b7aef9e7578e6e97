# SPDX-License-Identifier: GPL-2.0-only
"""The state of a flow in observations, and changes of its window, in every mode."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

ABSOLUTE, RELATIVE, HISTORY, PER_ACK = 11, 6, 33, 10
"""Sizes of observations of a flow."""

FACTORS = {
    5: (0.5, 0.95, 1.0, 1.05, 2.0),
    9: tuple(2.0**exponent for exponent in (-1, -0.5, -0.25, -0.125, 0, 0.125, 0.25, 0.5, 1)),
}
"""The factors of window or pacing rate, by the number of discrete actions of a flow.

With five actions, 0.95 and 1.05 mean one segment less and one segment more of a window.
"""


@dataclass(frozen=True)
class FlowState:
    """The measurements of a flow in a monitor interval.

    The unit of a window is a segment or, for relative observations, a bandwidth-delay product.
    """

    window: float  # congestion window, or pacing rate times smallest round trip time
    product: float  # throughput times smallest round trip time, in the same unit
    stretch: float  # mean round trip time over the smallest; 1 without a queue
    lost: float  # retransmitted share of the sent segments
    absolute: bool  # whether the unit is a segment

    @property
    def queued(self) -> float:
        """Data in queues, by Little's law, in the unit of `window`."""
        return self.window * (1 - 1 / self.stretch)


def read_flow(observation: Any) -> FlowState:
    """Return the state in an observation of a flow, float32: absolute, relative or history."""
    seen = [float(number) for number in observation]
    if len(seen) == HISTORY:
        window = 2.0 ** seen[30]
        return FlowState(window, window * 2.0 ** seen[0], 2.0 ** seen[1], seen[2], absolute=True)
    if len(seen) == RELATIVE:
        stretch, throughput, _, lost, _, window = seen
        return FlowState(max(window, 0.01), throughput, 1 + stretch, lost, absolute=False)
    _, window, size, _, sent, again, _, rtt, smallest, throughput, rate = seen
    segments = 1e3 * smallest / max(8 * size, 1)  # of 1 Mb/s, in the smallest round trip time
    return FlowState(
        rate * segments if rate > 0 else window,
        throughput * segments,
        max(1.0, rtt / smallest) if smallest > 0 else 1.0,
        again / sent if sent > 0 else 0.0,
        absolute=True,
    )


Move = Callable[[FlowState], float]
"""Returns the factor of window or rate for a flow's state."""


def act_by(action_space: spaces.Space[Any], make_move: Callable[[], Move]) -> Callable[[Any], Any]:
    """Return a policy that changes windows or rates of one or several flows.

    The action space is `Discrete(n)` or `MultiDiscrete([n] * flows)` with 5 or 9 actions, or a box
    from -1 to 1. `make_move` is called once for each flow.
    """
    continuous = isinstance(action_space, spaces.Box)
    flows = 1 if action_space.shape == () else math.prod(action_space.shape or (1,))
    moves = [make_move() for _ in range(flows)]

    def act(observation: Any) -> Any:
        factors = [
            move(read_flow(part))
            for move, part in zip(moves, np.reshape(observation, (flows, -1)), strict=True)
        ]
        if continuous:
            exponents = np.clip(np.log2(np.maximum(factors, 0.5)), -1, 1)
            return exponents.astype(np.float32)
        if isinstance(action_space, spaces.Discrete):
            return step(factors[0], int(action_space.n))
        assert isinstance(action_space, spaces.MultiDiscrete)
        choices = int(action_space.nvec[0])
        return np.array([step(factor, choices) for factor in factors])

    return act


def step(factor: float, choices: int) -> int:
    """Return the discrete action of a factor of window or pacing rate.

    With five choices, any factor between 0.75 and 1.5, other than 1, becomes a segment or 5 %. With
    nine, the nearest factor is taken.
    """
    if choices != 5:
        logs = np.log2(FACTORS[choices])
        return int(np.argmin(np.abs(logs - np.log2(max(factor, 0.25)))))
    if factor == 1:
        return 2
    if factor < 1:
        return 0 if factor < 0.75 else 1
    return 4 if factor > 1.5 else 3


def move_window(
    action: Any, action_space: spaces.Space[Any], window: float, segment: int, most: int
) -> float:
    """Return the window after an action of a flow, as `agents/flow-agent-app.cc` computes it.

    The action space is `Discrete(5)`, `Discrete(9)`, or a box from -1 to 1. The window and its
    minimum, a segment, are in bytes; `most` is its maximum in segments.
    """
    if isinstance(action_space, spaces.Box):
        window *= 2.0 ** float(np.clip(np.reshape(action, -1)[0], -1, 1))
    elif (choices := int(action_space.n)) == 5 and action in (1, 3):  # type: ignore[attr-defined]
        window += (int(action) - 2) * segment
    else:
        window *= FACTORS[choices][int(action)]
    return min(max(window, segment), segment * most)
