# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written policies for comparison.

The standard's binary exponential back-off is not one of them: with `back_off="standard"`, stations
decide frame by frame, for any policy.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.bridge.system.spelling import require_choice
from defiance_zoo.environments import NoOptions, Policy, PolicyMaker, SimulationAECEnv
from defiance_zoo.envs.wifi_contention.bianchi import WINDOWS, best_window

LOOK_UP_TABLE = ((1, 32), (10, 64), (15, 128), (25, 256))
"""Minimum number of stations, and slots (CW + 1): the table of CCOD (Wydmański and Szott, 2021)."""


class WindowPolicy(Policy):
    """Chooses the window by the number of stations, which is in infos but not in observations."""

    def __init__(self, env: SimulationAECEnv, window_for: Callable[[int], float]) -> None:
        """Take the chooser of the window in slots, CW + 1, for a number of stations."""
        self._env, self._window_for = env, functools.cache(window_for)

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> Any:
        """Return the action for the number of joined stations; see `Policy`."""
        return choose(self._env.action_space(agent), self._window_for(int(info["stations"])))


@dataclass(frozen=True)
class FixedOptions:
    """The window of the policy.

    Attributes:
        window: Window in slots, CW + 1: 16, 32, 64, 128, 256, 512 or 1024.
    """

    window: int = 128

    def __post_init__(self) -> None:
        require_choice("window", self.window, WINDOWS)


def _fixed(env: SimulationAECEnv, _seed: int, options: FixedOptions) -> WindowPolicy:
    return WindowPolicy(env, lambda _stations: options.window)


def _look_up_table(env: SimulationAECEnv, _seed: int, _options: NoOptions) -> WindowPolicy:
    return WindowPolicy(env, look_up)


def _best_window(env: SimulationAECEnv, _seed: int, _options: NoOptions) -> WindowPolicy:
    return WindowPolicy(env, best_window)


BASELINES = {
    "fixed": PolicyMaker(_fixed, __name__, FixedOptions),
    "look_up_table": PolicyMaker(_look_up_table, __name__, kind="reference"),
    "best_window": PolicyMaker(_best_window, __name__, kind="reference"),
}
"""The policies, by name. References know the number of stations."""


def look_up(stations: int) -> int:
    """Return the window of `LOOK_UP_TABLE` in slots."""
    return max((row for row in LOOK_UP_TABLE if row[0] <= stations), key=lambda row: row[0])[1]


def choose(action_space: spaces.Space[Any], window: float) -> Any:
    """Return the action for a window in slots, CW + 1.

    The action space is `Discrete(7)`, or a box of one exponent; a window may have no action.
    """
    exponent = math.log2(window) - math.log2(WINDOWS[0])
    if isinstance(action_space, spaces.Box):
        return np.array([exponent], action_space.dtype)
    if not exponent.is_integer():
        raise ValueError(f"{window} slots must be a power of two, like discrete actions")
    return int(exponent)
