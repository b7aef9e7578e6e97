# SPDX-License-Identifier: GPL-2.0-only
"""The earliest arrival, if all queues of the network are known at once: a reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.environments import BoundedOptions, Policy, SimulationAECEnv, bounded
from defiance_zoo.envs.packet_routing.policies.least_delay import COMMON
from defiance_zoo.envs.packet_routing.policies.link_state import LinkState, adjacent, earliest
from defiance_zoo.errors import ParameterError

_COSTS = 1e5
"""Costs of links in a second, with `metric="delay"`."""


@dataclass(frozen=True)
class EarliestArrivalOptions(BoundedOptions):
    """Assumptions of the policy.

    Attributes:
        transmission: Time of a packet at a port in s, by which the known queue of a port grows when
            a packet is sent there; by default, of 1000 bytes at 1 Mb/s.
    """

    transmission: float = bounded(0.008, 0, 3600, "s")


class EarliestArrivalPolicy(Policy):
    """Sends each packet over the path on which it arrives first if no other packet comes.

    All routers know all queues at once, without messages. Agents of deployed routers do not, so the
    policy is a reference; it is no optimum, as it sends each packet without regard to later ones.
    Queues of routers without an agent count as empty. A queue shrinks until the
    packet arrives there.
    """

    def __init__(self, env: SimulationAECEnv, _seed: int, options: EarliestArrivalOptions) -> None:
        self._env, self._transmission = env, options.transmission * _COSTS
        self.reset()

    def reset(self) -> None:
        self._routers: dict[str, LinkState] = {}
        self._links: Any = ()
        self._busy: dict[tuple[int, int], float] = {}

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> int:
        """See `Policy`; without a path to the destination, see `ShortestPathsPolicy`.

        Raises:
            ParameterError: Links have no delays, or agents decide once in an epoch.
        """
        if "link_state" in info:
            self._routers[agent] = LinkState.read(info["link_state"])
            self._links = self._routers[agent].links
            has_delays = any(cost > 1 for *_, cost, _ in self._links)
            if not has_delays or not isinstance(self._env.action_space(agent), spaces.Discrete):
                raise ParameterError('earliest_arrival needs decisions="packet" and metric="delay"')
        state, now = self._routers[agent], info["sim_time_ns"] * (_COSTS / 1e9)
        for neighbour, waiting in zip(state.neighbours, observation[COMMON:], strict=False):
            self._busy[state.router, neighbour] = now + float(waiting) * _COSTS
        found = earliest(state.router, adjacent(self._links), now, self._busy)
        if int(observation[0]) not in found:
            return int(np.argmin(info["action_mask"]))
        _, neighbour = found[int(observation[0])]
        self._busy[state.router, neighbour] += self._transmission
        return state.neighbours.index(neighbour)
