# SPDX-License-Identifier: GPL-2.0-only
"""The state of a station in observations, in every mode of the environment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

OTHERS = 3
"""Numbers in an observation of a station besides those for each rate."""

Counts = np.ndarray[tuple[int], np.dtype[np.float64]]


@dataclass(frozen=True)
class StationState:
    """The measurements of a station.

    Attributes:
        successes: Acknowledged frames by rate, shape (R,), float64, with smaller weights for older
            ones if observations are smoothed.
        failures: Unacknowledged frames, in the same form.
        snr: Signal-to-noise ratio of the last acknowledgement in dB; 0 without one.
        rate: Number of the rate of the last transmission.
        smoothed: Whether counts cover the whole time, rather than the time since the last state.
    """

    successes: Counts
    failures: Counts
    snr: float
    rate: int
    smoothed: bool


def count_rates(action_space: spaces.Space[Any]) -> list[int]:
    """Return the number of rates of each station of an agent."""
    if isinstance(action_space, spaces.Discrete):
        return [int(action_space.n)]
    assert isinstance(action_space, spaces.MultiDiscrete)
    return [int(each) for each in action_space.nvec]


def read_stations(observation: Any, space: spaces.Box, rates: list[int]) -> Iterator[StationState]:
    """Yield the state of each station of an agent; `rates` is the result of `count_rates()`.

    The observation is float32 of shape (n (2 R + 3),).
    """
    smoothed = bool(space.high[0] == 1)
    begin = 0
    for count in rates:
        seen = np.asarray(observation[begin : begin + 2 * count + OTHERS], np.float64)
        begin += len(seen)
        first, second, (_, snr, rate) = seen[:count], seen[count : 2 * count], seen[2 * count :]
        if smoothed:
            answered = second / np.maximum(1 - second, 1e-6)
            successes = np.maximum(first * (answered + 2) - 1, 0)
            first, second = successes, np.maximum(answered - successes, 0)
            snr, rate = 50 * snr, rate * max(count - 1, 1)
        yield StationState(first, second, float(snr), round(float(rate)), smoothed)


def act(action_space: spaces.Space[Any], rates: list[int]) -> Any:
    """Return the action for a rate for each station of an agent."""
    if isinstance(action_space, spaces.Discrete):
        return rates[0]
    return np.array(rates, np.int64)
