# SPDX-License-Identifier: GPL-2.0-only
"""The states of all links in infos, and shortest paths over them."""

from __future__ import annotations

import functools
import heapq
import json
from dataclasses import dataclass

Links = tuple[tuple[int, int, int, int], ...]
"""The routers, the cost and the state of a link."""


@dataclass(frozen=True)
class LinkState:
    """The contents of `info["link_state"]`: the agent's router, and all links.

    The ports of a router are its links in this order.
    """

    router: int
    links: Links

    @classmethod
    def read(cls, text: str) -> LinkState:
        """Return the link states in the text of an info."""
        message = json.loads(text)
        return cls(message["router"], tuple(map(tuple, message["links"])))

    @property
    def routers(self) -> int:
        """Number of routers."""
        return 1 + max(max(link[:2]) for link in self.links)

    @property
    def neighbours(self) -> tuple[int, ...]:
        """The router at each port of the agent's router."""
        return tuple(
            second if first == self.router else first
            for first, second, *_ in self.links
            if self.router in (first, second)
        )


@functools.lru_cache(maxsize=32)
def distances(links: Links) -> dict[int, dict[int, int]]:
    """Return the minimum costs between pairs of routers, without unconnected pairs."""
    near = adjacent(links)
    return {router: _distances_from(router, near) for router in near}


@functools.lru_cache(maxsize=32)
def adjacent(links: Links) -> dict[int, list[tuple[int, int]]]:
    """Return for each router the routers over working links, with the links' costs."""
    near: dict[int, list[tuple[int, int]]] = {}
    for first, second, cost, works in links:
        for one, other in ((first, second), (second, first)):
            near.setdefault(one, [])
            if works:
                near[one].append((other, cost))
    return near


def _distances_from(router: int, near: dict[int, list[tuple[int, int]]]) -> dict[int, int]:
    """Return the distances from a router, by Dijkstra's algorithm."""
    found: dict[int, int] = {}
    reached = [(0, router)]
    while reached:
        distance, here = heapq.heappop(reached)
        if here in found:
            continue
        found[here] = distance
        for there, cost in near[here]:
            if there not in found:
                heapq.heappush(reached, (distance + cost, there))
    return found


def next_ports(state: LinkState) -> dict[int, int]:
    """Return the port of the shortest path to each reachable router.

    Among equally short paths, it is the port with the lowest number, as in ns-3's global
    routing. That takes the lowest address of a next router, and addresses follow the numbers of
    links. A router with a single working link sends all packets there, even unreachable ones, like
    ns-3's default route.
    """
    between = distances(state.links)
    best: dict[int, tuple[int, int]] = {}
    own = [link for link in state.links if state.router in link[:2]]
    for port, (link, neighbour) in enumerate(zip(own, state.neighbours, strict=True)):
        if not link[3]:
            continue
        for destination, rest in between[neighbour].items():
            way = link[2] + rest, port
            if destination != state.router and way < best.get(destination, (1 << 62, 0)):
                best[destination] = way
    working = [port for port, link in enumerate(own) if link[3]]
    if len(working) == 1:
        return dict.fromkeys(between.keys() - {state.router}, working[0])
    return {destination: port for destination, (_, port) in best.items()}
