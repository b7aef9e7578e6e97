# SPDX-License-Identifier: GPL-2.0-only
"""Policies that do not learn, to compare with.

ns-3's own A3-RSRP and A2-A4-RSRQ are not among them: they hand over in the cells themselves, with
`algorithm="a3_rsrp"` and `algorithm="a2_a4_rsrq"`, whatever policy plays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.environments import NoOptions, PolicyMaker, SimulationAECEnv
from defiance_zoo.errors import ParameterError

STEPS = 97
"""Of RSRP, 1 dB each, in an observation of 1."""


@dataclass(frozen=True)
class A3Options:
    """Conditions of a handover.

    Attributes:
        hysteresis: By how much a neighbour is received better, in dB, from 0 to 15.
        time_to_trigger: For how long that has been so, in seconds, from 0 to 5.12.
    """

    hysteresis: float = 3.0
    time_to_trigger: float = 0.256

    def __post_init__(self) -> None:
        """Check them.

        Raises:
            ParameterError: A value is not in its range.
        """
        if not 0 <= self.hysteresis <= 15:
            raise ParameterError(f"hysteresis={self.hysteresis!r} is not from 0 to 15 dB")
        if not 0 <= self.time_to_trigger <= 5.12:
            raise ParameterError(
                f"time_to_trigger={self.time_to_trigger!r} is not from 0 to 5.12 s"
            )


class StrongestNeighbour:
    """A3-RSRP: hands users over to the neighbour that they receive best.

    With `reports="a3"`, a user has found a neighbour that is better by the hysteresis, and has
    waited; its report says which. Of periodic reports, in steps of 1 dB, the policy finds out
    itself.
    """

    def __init__(self, env: SimulationAECEnv, options: A3Options) -> None:
        """Decide for the agents of an environment.

        Args:
            env: Has their action spaces.
            options: When a user is handed over.
        """
        self._env, self._options = env, options
        self._since: dict[tuple[str, int, int], int] = {}

    def reset(self) -> None:
        """See `Policy`: an episode begins."""
        self._since.clear()

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> Any:
        """Return the cell that is to serve each user of the agent; see `Policy`."""
        space = self._env.action_space(agent)
        cells = len(info["cells"]) // 2
        orders = np.reshape(info["reported"], (-1, cells))
        seen = np.reshape(observation, (len(orders), 3 * cells + 1))
        chosen = [
            1 + int(order[0])
            if info["reports"] == "a3" and order[0] >= 0
            else self._compare(agent, user, row, order, info["sim_time_ns"])
            for user, (row, order) in enumerate(zip(seen, orders, strict=True))
        ]
        return chosen[0] if isinstance(space, spaces.Discrete) else np.array(chosen)

    def _compare(self, agent: str, user: int, row: Any, order: Any, now_ns: int) -> int:
        """Return the action for a user that reports periodically, by what it has reported."""
        cells = len(order)
        rsrp, serving = STEPS * row[:cells], int(row[2 * cells : 3 * cells].argmax())
        for cell in range(cells):
            better = rsrp[cell] > rsrp[serving] + self._options.hysteresis
            if not better or cell == serving:
                self._since.pop((agent, user, cell), None)
            else:
                self._since.setdefault((agent, user, cell), now_ns)
        for cell in map(int, order):
            since = self._since.get((agent, user, cell), now_ns + 1)
            if now_ns - since >= 1e9 * self._options.time_to_trigger:
                return 1 + cell
        return 0


class Stay:
    """Leaves users where they are."""

    def __init__(self, env: SimulationAECEnv) -> None:
        """Decide for the agents of an environment, which has their action spaces."""
        self._env = env

    def reset(self) -> None:
        """See `Policy`; there is nothing to forget."""

    def act(self, agent: str, _observation: Any, _info: Mapping[str, Any]) -> Any:
        """Return no handover; see `Policy`."""
        space = self._env.action_space(agent)
        return 0 if isinstance(space, spaces.Discrete) else np.zeros(space.shape or (), space.dtype)


def _a3(env: SimulationAECEnv, _seed: int, options: A3Options) -> StrongestNeighbour:
    return StrongestNeighbour(env, options)


def _stay(env: SimulationAECEnv, _seed: int, _options: NoOptions) -> Stay:
    return Stay(env)


BASELINES = {
    "a3_rsrp": PolicyMaker(_a3, __name__, A3Options),
    "stay": PolicyMaker(_stay, __name__),
}
"""The policies, by name."""
