# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written policies for comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.environments import (
    BoundedOptions,
    Policy,
    PolicyMaker,
    SimulationAECEnv,
    bounded,
)


class PowerPolicy(Policy):
    """Chooses the power of each cell of an agent from the cell's observation."""

    def __init__(self, env: SimulationAECEnv, choose: Callable[[float, Any], float]) -> None:
        """Take the chooser of the next power, for the present one in dBm and users' SINRs in dB."""
        self._env, self._choose = env, choose

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> Any:
        """Return the action for the last observation; see `Policy`."""
        space = self._env.action_space(agent)
        cells = math.prod(space.shape or (1,))
        users = len(info["users"]) // len(info["cells"])
        size = users + 2
        powers = []
        for cell in range(cells):
            seen = observation[cell * size : (cell + 1) * size]
            has_report = bool(np.any(seen))
            sinrs = 10 * seen[:users] if has_report else []
            now = 10 * seen[-1] if has_report else info["levels"][-1]
            powers.append(self._choose(float(now), sinrs))
        return encode(space, powers, info["levels"])


def encode(space: spaces.Space[Any], powers: list[float], levels: Any) -> Any:
    """Return the action for powers in dBm of cells: within bounds, or the nearest levels.

    `levels`: powers of discrete actions in dBm, evenly spread.
    """
    if isinstance(space, spaces.Box):
        return np.clip(np.array(powers, space.dtype), space.low, space.high)
    nearest = [int(np.abs(np.asarray(levels) - power).argmin()) for power in powers]
    return nearest[0] if isinstance(space, spaces.Discrete) else np.array(nearest)


@dataclass(frozen=True)
class ConstantOptions(BoundedOptions):
    """The power of the policy.

    Attributes:
        power: Power in dBm, from -40 to 46; the nearest level is chosen.
    """

    power: float = bounded(30.0, -40, 46, "dBm")


@dataclass(frozen=True)
class TrackingOptions(BoundedOptions):
    """The target of the policy.

    Attributes:
        target: Target SINR of the worst user of each cell in dB, from -20 to 60.
    """

    target: float = bounded(5.0, -20, 60, "dB")


def _constant(env: SimulationAECEnv, _seed: int, options: ConstantOptions) -> PowerPolicy:
    return PowerPolicy(env, lambda _now, _sinrs: options.power)


def _tracking(env: SimulationAECEnv, _seed: int, options: TrackingOptions) -> PowerPolicy:
    def choose(now: float, sinrs: Any) -> float:
        return now if len(sinrs) == 0 else now + options.target - float(min(sinrs))

    return PowerPolicy(env, choose)


BASELINES = {
    "constant": PolicyMaker(_constant, __name__, ConstantOptions),
    "target_tracking": PolicyMaker(_tracking, __name__, TrackingOptions),
}
"""The policies, by name: one constant power; or the power that each cell would need if the others
kept theirs (Foschini and Miljanic, 1993)."""
