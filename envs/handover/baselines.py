# SPDX-License-Identifier: GPL-2.0-only
"""Policies that do not learn, for comparisons.

ns-3's own A3-RSRP and A2-A4-RSRQ are not included: with `algorithm="a3_rsrp"` and
`algorithm="a2_a4_rsrq"`, the cells themselves hand over, independently of the policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.environments import (
    BoundedOptions,
    NoOptions,
    Policy,
    PolicyMaker,
    SimulationAECEnv,
    bounded,
)
from defiance_zoo.errors import ParameterError

STEPS = 97
"""RSRP steps of 1 dB in an observation of 1."""

NEIGHBOURS = 3
"""Number of observed neighbours of each user with `observation="neighbours"`."""

SCALE = 20
"""An RSRP difference or change in dB, in an observation of 1."""


@dataclass(frozen=True)
class A3Options(BoundedOptions):
    """Conditions of a handover.

    Attributes:
        hysteresis: Lead of a neighbour's RSRP over the cell's, in dB, from 0 to 15.
        time_to_trigger: Duration of this lead, in seconds, from 0 to 5.12.
    """

    hysteresis: float = bounded(3.0, 0, 15, "dB")
    time_to_trigger: float = bounded(0.256, 0, 5.12, "s")


class StrongestNeighbour:
    """A3-RSRP: hands users over to the neighbour that they receive best.

    With `reports="a3"` or `"both"`, a user checks hysteresis and time to trigger, and its report
    names the neighbour. With periodic reports, in steps of 1 dB, the policy compares cells itself.
    """

    def __init__(self, env: SimulationAECEnv, _seed: int, options: A3Options) -> None:
        self._env, self._options = env, options
        self._since: dict[tuple[str, int, int], int] = {}

    def reset(self) -> None:
        self._since.clear()

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> Any:
        """Return the cell that is to serve each user of the agent; see `Policy`."""
        space = self._env.action_space(agent)
        cells = len(info["cells"]) // 2
        orders = np.reshape(info["reported"], (-1, cells))
        seen = np.reshape(observation, (len(orders), -1))
        ranked = np.reshape(info.get("neighbours", ()), (len(orders), -1))
        chosen = []
        for user, (row, order, ranks) in enumerate(zip(seen, orders, ranked, strict=True)):
            if info["reports"] == "periodic":
                cell = self._compare((agent, user), row, order, ranks, info["sim_time_ns"])
            else:
                cell = int(order[0])
            chosen.append(_action(cell, ranks))
        return chosen[0] if isinstance(space, spaces.Discrete) else np.array(chosen)

    def _compare(self, user: tuple[str, int], row: Any, order: Any, ranks: Any, now_ns: int) -> int:
        """Return the cell for a user that reports periodically, or -1 if the user stays."""
        cells = len(order)
        rsrp, serving = _read_rsrp(row, cells, ranks)
        for cell in range(cells):
            better = rsrp[cell] > rsrp[serving] + self._options.hysteresis
            if not better or cell == serving:
                self._since.pop((*user, cell), None)
            else:
                self._since.setdefault((*user, cell), now_ns)
        for cell in map(int, order):
            since = self._since.get((*user, cell), now_ns + 1)
            if now_ns - since >= 1e9 * self._options.time_to_trigger:
                return cell
        return -1


def _read_rsrp(row: Any, cells: int, ranks: Any) -> tuple[Any, int]:
    """Return RSRP of each cell in dB, and the index of the cell that serves the user.

    An observation of neighbours has differences: the serving cell has 0 dB and the last index.
    """
    if not len(ranks):
        return STEPS * row[:cells], int(row[2 * cells : 3 * cells].argmax())
    rsrp = np.append(np.full(cells, -np.inf), 0.0)
    for cell, part in zip(ranks, _neighbours(row), strict=True):
        if cell >= 0:
            rsrp[cell] = np.rint(SCALE * part[1])
    return rsrp, cells


def _neighbours(row: Any) -> Any:
    """Return the numbers of each neighbour in the row of a user, of shape (3, 5)."""
    return row[-5 * NEIGHBOURS :].reshape(NEIGHBOURS, 5)


def _action(cell: int, ranks: Any) -> int:
    """Return the action that hands a user over to a cell; 0 for -1 and for cells without a rank."""
    if not len(ranks):
        return 1 + cell
    found = np.flatnonzero(ranks == cell)
    return 1 + int(found[0]) if cell >= 0 and len(found) else 0


@dataclass(frozen=True)
class TrendOptions(BoundedOptions):
    """Conditions of a handover by a forecast of RSRP.

    Attributes:
        hysteresis: Lead of a neighbour's forecast over the cell's, in dB, from -15 to 15.
        ahead: Seconds of the forecast, in addition to twice the report's age, from 0 to 5.
        event: Addition to the lead of a neighbour that an event has named, in dB, from 0 to 15.
            The event shows that the neighbour is stronger, even if both round to the same RSRP.
    """

    hysteresis: float = bounded(0.0, -15, 15, "dB")
    ahead: float = bounded(0.0, 0, 5, "s")
    event: float = bounded(0.5, 0, 15, "dB")


class Trend(Policy):
    """Hands users over to the neighbour that they will receive best when the command arrives.

    The policy extrapolates RSRP by its last change in 0.2 s. A command takes as long as a
    report, so the age of the report counts twice.
    """

    def __init__(self, env: SimulationAECEnv, _seed: int, options: TrendOptions) -> None:
        self._env, self._options = env, options
        space = env.observation_space(env.possible_agents[0])
        assert isinstance(space, spaces.Box)
        if space.low.min() >= 0:
            raise ParameterError(
                "trend needs changes of RSRP: give observation='neighbours', as in handover_v1"
            )

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> Any:
        """Return the cell that is to serve each user of the agent; see `Policy`."""
        space = self._env.action_space(agent)
        rows = np.reshape(observation, (-1, 6 + 5 * NEIGHBOURS))
        chosen = [self._choose(row) for row in rows]
        return chosen[0] if isinstance(space, spaces.Discrete) else np.array(chosen)

    def _choose(self, row: Any) -> int:
        """Return the action for a user."""
        parts = _neighbours(row)
        trend = (parts[:, 2] - row[2]) / 0.2
        ahead = self._options.ahead + 2 * row[5]
        leads = SCALE * (parts[:, 1] + ahead * trend) + self._options.event * parts[:, 4]
        leads[parts[:, 0] == 0] = -np.inf
        best = int(leads.argmax())
        return 1 + best if leads[best] > self._options.hysteresis else 0


class Stay(Policy):
    """Keeps the serving cell of every user."""

    def __init__(self, env: SimulationAECEnv, _seed: int, _options: NoOptions) -> None:
        self._env = env

    def act(self, agent: str, _observation: Any, _info: Mapping[str, Any]) -> Any:
        """Return no handover; see `Policy`."""
        space = self._env.action_space(agent)
        return 0 if isinstance(space, spaces.Discrete) else np.zeros(space.shape or (), space.dtype)


BASELINES = {
    "a3_rsrp": PolicyMaker(StrongestNeighbour, __name__, A3Options),
    "stay": PolicyMaker(Stay, __name__),
    "trend": PolicyMaker(Trend, __name__, TrendOptions),
}
"""The policies, by name."""
