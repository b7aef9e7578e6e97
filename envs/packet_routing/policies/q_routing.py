# SPDX-License-Identifier: GPL-2.0-only
"""Q-routing, of Boyan and Littman (1994), with a table at each router."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from defiance_zoo.environments import BoundedOptions, bounded
from defiance_zoo.envs.packet_routing.policies.link_state import LinkState
from defiance_zoo.errors import ParameterError


@dataclass(frozen=True)
class QRoutingOptions(BoundedOptions):
    """Parameters of learning.

    Attributes:
        learning_rate: η, from 1e-6 to 1; 0.5 as in the paper.
        initial: Initial value of each estimate, in seconds; 0 tries every port.
        keep: Whether it keeps the estimates of earlier episodes, as long as the topology does not
            change.
    """

    learning_rate: float = bounded(0.5, 1e-6, 1)
    initial: float = bounded(0.0, 0, unit="s")
    keep: bool = False


class QRoutingPolicy:
    """Learns the delay to each destination over each port while it decides.

    Router x has sent a packet for d to y, which took q + s. Then y returns its estimate t, the
    minimum of Q_y(d, z) over its ports z, or 0 if y is d:

        Q_x(d, y) += η (q + s + t - Q_x(d, y))

    (Boyan and Littman, Packet routing in dynamically changing networks, NIPS 6, 1994). The port
    with the minimum estimate is chosen, at random among equals. q + s comes with the agent's next
    info (`hop_cost`), so an estimate is updated at the router's next decision.

    With `controlled`, routers without an agent do not learn: their estimates stay at `initial`.
    With 0, packets seem to arrive as soon as they reach such a router.
    """

    def __init__(self, seed: int, options: QRoutingOptions) -> None:
        self._seed, self._options = seed, options
        self._forget()

    def _forget(self) -> None:
        self._random = random.Random(self._seed)
        self._joined: tuple[tuple[int, int], ...] = ()
        self._estimates: dict[int, list[list[float]]] = {}
        self._states: dict[str, tuple[int, tuple[int, ...]]] = {}
        self._sent: dict[str, tuple[int, int]] = {}

    def reset(self) -> None:
        """Reset the estimates, unless they are kept."""
        if not self._options.keep:
            self._forget()
        self._sent = {}

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> int:
        """See `Policy`.

        Raises:
            ParameterError: Agents decide once in an epoch.
        """
        if "action_mask" not in info:
            raise ParameterError('q_routing needs decisions="packet"')
        if "link_state" in info:
            self._learn_of(agent, LinkState.read(info["link_state"]))
        if agent in self._sent:
            self._renew(agent, info["hop_cost"])
        router, neighbours = self._states[agent]
        destination = int(observation[0])
        port = self._choose(self._estimates[router][destination], info["action_mask"])
        if port < len(neighbours):
            self._sent[agent] = destination, port
        return port

    def _learn_of(self, agent: str, state: LinkState) -> None:
        """Note an agent's router; reset the estimates if the topology has changed."""
        joined = tuple((first, second) for first, second, *_ in state.links)
        if joined != self._joined:
            self._forget()
            self._joined = joined
            start = self._options.initial
            for router in range(state.routers):
                ports = sum(router in pair for pair in joined)
                self._estimates[router] = [[start] * ports for _ in range(state.routers)]
        self._states[agent] = state.router, state.neighbours

    def _renew(self, agent: str, cost: float) -> None:
        """Update the estimate of the last sent packet."""
        router, neighbours = self._states[agent]
        destination, port = self._sent.pop(agent)
        there = neighbours[port]
        rest = 0.0 if there == destination else min(self._estimates[there][destination])
        estimates = self._estimates[router][destination]
        estimates[port] += self._options.learning_rate * (cost + rest - estimates[port])

    def _choose(self, estimates: list[float], mask: Any) -> int:
        allowed = [port for port in range(len(estimates)) if mask[port]]
        least = min(estimates[port] for port in allowed)
        best = [port for port in allowed if estimates[port] == least]
        return best[0] if len(best) == 1 else self._random.choice(best)
