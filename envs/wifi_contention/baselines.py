# SPDX-License-Identifier: GPL-2.0-only
"""Policies that do not learn, to compare with.

The standard's binary exponential back-off is not among them: it decides frame by frame, in the
stations themselves, with `back_off="standard"`, whatever policy plays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.environments import InformedPolicy
from defiance_zoo.envs.wifi_contention.bianchi import WINDOWS, best_window

LOOK_UP_TABLE = ((1, 32), (10, 64), (15, 128), (25, 256))
"""Least number of stations, and slots (CW + 1): the table of CCOD (Wydmański and Szott, 2021)."""


def fixed_policy(window: float) -> Callable[[spaces.Space[Any]], Callable[[Any], Any]]:
    """Return what makes policies with one window for ever.

    Args:
        window: In slots, CW + 1, from 16 to 1024; a power of two where actions are discrete.

    Raises:
        ValueError: Nobody can choose this window.
    """
    if not WINDOWS[0] <= window <= WINDOWS[-1]:
        raise ValueError(f"{window} slots: there are {WINDOWS[0]} to {WINDOWS[-1]}")

    def make(action_space: spaces.Space[Any]) -> Callable[[Any], Any]:
        action = choose(action_space, window)
        return lambda _observation: action

    return make


class StationCounter(InformedPolicy):
    """Chooses the window by the number of stations, which agents cannot observe."""

    def __init__(self, action_space: spaces.Space[Any], window_for: Callable[[int], float]) -> None:
        """Choose for an agent.

        Args:
            action_space: Of the agent.
            window_for: From the number of stations to the window in slots, CW + 1.
        """
        self._action_space, self._window_for = action_space, window_for
        self._known: dict[int, Any] = {}

    def act(self, observation: Any, info: Mapping[str, Any]) -> Any:
        """Return the action for as many stations as have joined."""
        stations = int(info["stations"])
        if stations not in self._known:
            self._known[stations] = choose(self._action_space, self._window_for(stations))
        return self._known[stations]


def look_up_table_policy(action_space: spaces.Space[Any]) -> StationCounter:
    """Return the policy that looks up the number of stations in `LOOK_UP_TABLE`."""
    return StationCounter(action_space, look_up)


def best_window_policy(action_space: spaces.Space[Any]) -> StationCounter:
    """Return the policy with the window that Bianchi's model finds best for so many stations."""
    return StationCounter(action_space, best_window)


def look_up(stations: int) -> int:
    """Return the window of `LOOK_UP_TABLE` in slots."""
    return max((row for row in LOOK_UP_TABLE if row[0] <= stations), key=lambda row: row[0])[1]


def choose(action_space: spaces.Space[Any], window: float) -> Any:
    """Return the action that stands for a window.

    Args:
        action_space: Of the agent: Discrete(7), or a box of one exponent.
        window: In slots, CW + 1.

    Raises:
        ValueError: There is no such action.
    """
    exponent = math.log2(window) - math.log2(WINDOWS[0])
    if isinstance(action_space, spaces.Box):
        return np.array([exponent], action_space.dtype)
    if not exponent.is_integer():
        raise ValueError(f"{window} slots are no power of two, as discrete actions are")
    return int(exponent)
