# SPDX-License-Identifier: GPL-2.0-only
"""Shortest paths, as link-state protocols compute them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.environments import NoOptions, SimulationAECEnv
from defiance_zoo.envs.packet_routing.policies.link_state import LinkState, next_ports


class ShortestPathsPolicy:
    """Sends each packet to the next router on the shortest path by the link states.

    Each agent recomputes its ports when its info has a `link_state`: at first, and after a failure
    or repair of a link. It supports decisions for packets and for epochs.
    """

    def __init__(self, env: SimulationAECEnv, _seed: int, _options: NoOptions) -> None:
        self._env = env
        self.reset()

    def reset(self) -> None:
        self._ports: dict[str, dict[int, int]] = {}
        self._weights: dict[str, Any] = {}

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> Any:
        """See `Policy`.

        Without a path to the destination, it is a failed port, if the router has one: the packet is
        lost, as with ns-3's routing. Otherwise it is the first port.
        """
        space = self._env.action_space(agent)
        if "link_state" in info:
            state = LinkState.read(info["link_state"])
            self._ports[agent] = next_ports(state)
            if isinstance(space, spaces.Box):
                self._weights[agent] = _split(self._ports[agent], state.routers, space)
        if isinstance(space, spaces.Box):
            return self._weights[agent]
        port = self._ports[agent].get(int(observation[0]))
        return int(np.argmin(info["action_mask"])) if port is None else port


def _split(ports: Mapping[int, int], routers: int, space: spaces.Box) -> Any:
    """Return weights that send all packets of a destination to one port."""
    weights = np.zeros((routers, space.shape[0] // routers), np.float32)
    for destination, port in ports.items():
        weights[destination, port] = 1
    return weights.reshape(-1)
