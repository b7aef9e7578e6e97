# SPDX-License-Identifier: GPL-2.0-only
"""Networks between plants and the node of their agents."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from defiance_zoo.scenario.events import Time, at
from defiance_zoo.scenario.lte import lte
from defiance_zoo.scenario.modules import load_module
from defiance_zoo.scenario.network import (
    Node,
    csma,
    nodes,
    place,
    point_to_point,
    route,
    route_globally,
)
from defiance_zoo.scenario.simulation import refuse
from defiance_zoo.scenario.traffic import traffic
from defiance_zoo.scenario.wifi import wifi

_FAST = "10Gbps"
"""Rate of links that are no bottleneck."""
_CONNECTING = Time("1s")
"""Time in which nodes connect by radio, before plants begin."""


def build_network(count: int, p: Any) -> tuple[list[Node], Node, Time]:
    """Return nodes of plants, the node of their agents, and the time at which plants may begin."""
    has_packets = p.over != "simple"
    names = ["plant"] if count == 1 else [f"plant_{number}" for number in range(count)]
    *plants, edge = nodes(count + 1, internet=has_packets, names=[*names, "edge"])
    if not has_packets:
        return plants, edge, Time(0)
    others = nodes(1, internet=True, names=["other"]) if p.traffic.bps else []
    start = _BUILDERS[p.network]([*plants, *others], edge, p)
    for each in others:
        for pair in ((each, edge), (edge, each)):
            at(start, partial(traffic, *pair, pattern="poisson", rate=p.traffic))
    return plants, edge, start


def _link_by_cable(plants: Sequence[Node], edge: Node, p: Any) -> Time:
    """Link a plant with the edge, or several plants over a router before one bottleneck."""
    if len(plants) == 1:
        point_to_point(plants[0], edge, rate=p.data_rate, delay=p.delay, loss=p.loss)
        return Time(0)
    (router,) = nodes(1, internet=True, names=["router"])
    for each in plants:
        point_to_point(each, router, rate=_FAST, delay="0s")
    point_to_point(router, edge, rate=p.data_rate, delay=p.delay, loss=p.loss)
    route_globally()
    return Time(0)


def _link_by_bus(plants: Sequence[Node], edge: Node, p: Any) -> Time:
    (switch,) = nodes(1, internet=True, names=["switch"])
    csma([*plants, switch], rate=p.data_rate)
    point_to_point(switch, edge, rate=_FAST, delay=p.delay, loss=p.loss)
    route_globally()
    return Time(0)


def _link_by_wifi(plants: Sequence[Node], edge: Node, p: Any) -> Time:
    (point,) = nodes(1, internet=True, names=["access_point"])
    place([point], [(0.0, 0.0)])
    place(plants, _circle(len(plants), p.distance))
    try:
        addresses = wifi(plants, point, standard=p.standard, network="20.0.0.0/16").addresses
    except ValueError as error:
        refuse(str(error))
    cable = point_to_point(point, edge, rate=_FAST, delay=p.delay, loss=p.loss)
    for each in plants:
        route(each, "0.0.0.0/0", addresses[-1])
    route(edge, "20.0.0.0/16", cable.addresses[0])
    return _CONNECTING


def _link_by_lte(plants: Sequence[Node], edge: Node, p: Any) -> Time:
    load_module("lte")
    (cell,) = nodes(1, names=["cell"])
    place([cell], [(0.0, 0.0)])
    place(plants, _circle(len(plants), p.distance))
    network = lte(cell, plants)
    cable = point_to_point(network.gateway, edge, rate=_FAST, delay=p.delay, loss=p.loss)
    route(edge, "7.0.0.0/8", cable.addresses[0])
    return _CONNECTING


def _circle(count: int, radius: float) -> list[tuple[float, float]]:
    angles = [2 * math.pi * number / count for number in range(count)]
    return [(radius * math.cos(angle), radius * math.sin(angle)) for angle in angles]


_BUILDERS: dict[str, Callable[[Sequence[Node], Node, Any], Time]] = {
    "point-to-point": _link_by_cable,
    "csma": _link_by_bus,
    "wifi": _link_by_wifi,
    "lte": _link_by_lte,
}
NETWORKS = tuple(_BUILDERS)
