# SPDX-License-Identifier: GPL-2.0-only
"""The states of all links in infos, and shortest paths over them."""

from __future__ import annotations

import functools
import heapq
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

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
def distances(links: Links) -> dict[int, dict[int, float]]:
    """Return the minimum costs between pairs of routers, without unconnected pairs."""
    near = adjacent(links)
    return {
        router: {there: cost for there, (cost, _) in earliest(router, near).items()}
        for router in near
    }


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


def earliest(
    router: int,
    near: Mapping[int, Iterable[tuple[int, int]]],
    now: float = 0,
    busy: Mapping[tuple[int, int], float] = MappingProxyType({}),
) -> dict[int, tuple[float, int]]:
    """Return when a packet can reach each router, and the first router on its way.

    It is Dijkstra's algorithm with times in units of costs. `busy`: the times until which the port
    from a router to another one has packets that wait.
    """
    found: dict[int, tuple[float, int]] = {}
    reached = [(now, router, router)]
    while reached:
        time, here, first = heapq.heappop(reached)
        if here in found:
            continue
        found[here] = time, first
        for there, cost in near[here]:
            if there not in found:
                leaves = max(time, busy.get((here, there), time))
                way = leaves + cost, there, there if here == router else first
                heapq.heappush(reached, way)
    return found


def next_ports(state: LinkState) -> dict[int, int]:
    """Return the port of the shortest path to each reachable router.

    Among equally short paths, it is the port with the lowest number, as in ns-3's global
    routing. That takes the lowest address of a next router, and addresses follow the numbers of
    links. A router with a single working link sends all packets there, even unreachable ones, like
    ns-3's default route.
    """
    between = distances(state.links)
    best: dict[int, tuple[float, int]] = {}
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
