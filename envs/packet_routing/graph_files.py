# SPDX-License-Identifier: GPL-2.0-only
"""Graph files of users: GML, GraphML, and NetworkX's node-link JSON.

The simulation is the only reader of the resulting text; the card describes the notation.
"""

from __future__ import annotations

import functools
import io
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.parsers import expat

from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.bridge.system.reading import parse_json, read_bytes
from defiance_zoo.errors import DependencyMissing, ParameterError

_SUFFIXES = (".gml", ".graphml", ".json")
_PLACES = (("Longitude", "Latitude"), ("lon", "lat"), ("x", "y"))
_US_PER_KM = 5.0  # two thirds of the speed of light, as in fibre
_EARTH_KM = 6371.0
_MOST_BYTES = 4 * 2**20
_QUANTITY = re.compile(r"\d+(\.\d+)?[a-zA-Z]+")


@dataclass(frozen=True)
class Router:
    """A router; its position is longitude and latitude on a map."""

    name: str  # without blanks
    x: float = 0.0
    y: float = 0.0


@dataclass(frozen=True)
class Link:
    """A link between two routers, in both directions.

    Delay and rate are in ns-3's notation, such as `5728us` and `10Mbps`. Empty ones mean the
    parameters `link_delay` and `link_rate`.
    """

    first: int
    second: int
    delay: str = ""
    rate: str = ""


@dataclass(frozen=True)
class Topology:
    """Routers and links by number; the ports of a router are its links in this order."""

    routers: tuple[Router, ...]
    links: tuple[Link, ...]

    @property
    def text(self) -> str:
        """The value for the parameter `topology`."""
        lines = [f"node {each.name} {each.x!r} {each.y!r}" for each in self.routers]
        for link in self.links:
            ends = f"link {self.routers[link.first].name} {self.routers[link.second].name}"
            delay = f" delay {link.delay}" if link.delay else ""
            rate = f" rate {link.rate}" if link.rate else ""
            lines.append(ends + delay + rate)
        return "\n".join(lines)


def is_graph_file(value: str) -> bool:
    """Return whether a value of the parameter `topology` names a graph file."""
    return "\n" not in value and value.lower().endswith(_SUFFIXES)


def read_graph_file(path: str) -> Topology:
    """Return the topology of a GML (`.gml`), GraphML (`.graphml`) or node-link JSON file.

    Nodes are routers, in the order of the file; edges are links. The card lists their supported
    attributes: names, places, `delay`, `dist`, `rate`. A `ParameterError` says why a file is
    refused.
    """
    try:
        content = read_bytes(path, _MOST_BYTES)
    except OSError as error:
        raise ParameterError(f"topology={path!r} cannot be read: {error.strerror}") from None
    return _read(path, content)


@functools.lru_cache(maxsize=16)
def _read(path: str, content: bytes) -> Topology:
    try:
        import networkx
    except ImportError:
        raise DependencyMissing(
            f"topology={path!r} is read with networkx: {install_command('graphs')}"
        ) from None
    try:
        graph = _parse(networkx, Path(path).suffix.lower(), content)
    except Exception as error:  # from the parser, which has many kinds
        raise ParameterError(
            f"topology={path!r} is not a {Path(path).suffix[1:]} file of a graph: "
            f"{type(error).__name__}: {error}"
        ) from None
    try:
        return _convert(networkx, graph)
    except (ValueError, TypeError, AttributeError, LookupError) as error:  # also for odd attributes
        raise ParameterError(f"topology={path!r}: {error}") from None


def _parse(networkx: Any, suffix: str, content: bytes) -> Any:
    if suffix == ".gml":
        return networkx.parse_gml(content.decode("ascii").splitlines(), label="id")
    if suffix == ".graphml":
        _refuse_entities(content)
        return networkx.read_graphml(io.BytesIO(content))
    document = parse_json(content)
    edges = "edges" if "edges" in document else "links"
    graph = networkx.node_link_graph(document, edges=edges)
    # networkx adds nodes that only edges name, and merges parallel edges.
    if graph.number_of_nodes() != len(document["nodes"]):
        raise ValueError("its edges name an unknown node, or two edges are equal")
    if graph.number_of_edges() != len(document[edges]):
        raise ValueError("two edges join the same nodes")
    return graph


def _refuse_entities(content: bytes) -> None:
    """Raise ValueError for XML that declares entities: a few of them can become gigabytes."""

    def refuse(*_: Any) -> None:
        raise ValueError("it declares entities, which no graph needs")

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = refuse
    parser.Parse(content, True)


def _convert(networkx: Any, graph: Any) -> Topology:
    """Raise ValueError for a graph that is not a network."""
    if graph.number_of_nodes() < 2:
        raise ValueError(f"it has {graph.number_of_nodes()} nodes, but a network needs two or more")
    numbers = {node: number for number, node in enumerate(graph)}
    routers = _read_routers(graph)
    links: dict[tuple[int, int], Link] = {}
    directions = set()
    for source, target, data in graph.edges(data=True):
        first, second = numbers[source], numbers[target]
        between = f"{routers[first].name} and {routers[second].name}"
        if first == second:
            raise ValueError(f"an edge joins {routers[first].name} with itself")
        if (first, second) in directions:
            raise ValueError(f"two edges join {between}; replace them by one edge with both rates")
        directions.add((first, second))
        ends = min(first, second), max(first, second)
        places = _place(graph.nodes[source]), _place(graph.nodes[target])
        link = Link(first, second, _delay(data, *places), _rate(data))
        known = links.setdefault(ends, link)
        if (known.delay, known.rate) != (link.delay, link.rate):
            raise ValueError(f"the edges between {between} differ, but a link is symmetric")
    undirected = graph.to_undirected() if graph.is_directed() else graph
    parts = list(networkx.connected_components(undirected))
    if len(parts) > 1:
        one, other = (routers[min(numbers[node] for node in part)].name for part in parts[:2])
        raise ValueError(f"it is not connected: there is no path from {one} to {other}")
    return Topology(routers, tuple(links.values()))


def _read_routers(graph: Any) -> tuple[Router, ...]:
    routers: list[Router] = []
    taken: set[str] = set()
    for number, (node, data) in enumerate(graph.nodes(data=True)):
        given = data.get("label", data.get("name", node))
        name = (
            re.sub(r"[^\w.-]+", "-", "" if given is None else str(given)).strip("-") or f"r{number}"
        )
        while name in taken:
            name = f"{name}-{number}"
        taken.add(name)
        place = _place(data)
        routers.append(Router(name, *(place[1:] if place else ())))
    return tuple(routers)


def _place(data: Mapping[str, Any]) -> tuple[bool, float, float] | None:
    """Return whether a node is on a map, and its position."""
    for names in _PLACES:
        given = [data.get(name) for name in names]
        if None not in given:
            is_map = names[0] != "x"
            x, y = (_coordinate(*each, is_map=is_map) for each in zip(names, given, strict=True))
            return is_map, x, y
    return None


def _coordinate(name: str, value: Any, *, is_map: bool) -> float:
    most = (360.0 if name.lower().startswith("lon") else 90.0) if is_map else math.inf
    if not _is_number(value) or not math.isfinite(value) or abs(value) > most:
        what = "an angle in degrees" if is_map else "a number"
        raise ValueError(f"a node has {name}={value!r}, which is not {what}")
    return float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _delay(
    data: Mapping[str, Any],
    first: tuple[bool, float, float] | None,
    second: tuple[bool, float, float] | None,
) -> str:
    """Return the one-way delay of a link: its attribute, or from its length; or empty."""
    if "delay" in data:
        return _quantity("delay", data["delay"], "s")
    kilometres = data.get("dist")
    if kilometres is None and first and second and first[0] and second[0]:
        kilometres = _great_circle(first[1:], second[1:])
    if kilometres is None:
        return ""
    if not _is_number(kilometres) or not 0 <= kilometres < 1e6:
        raise ValueError(f"an edge has dist={kilometres!r}, which is not a length in km")
    return f"{round(kilometres * _US_PER_KM)}us"


def _rate(data: Mapping[str, Any]) -> str:
    return _quantity("rate", data["rate"], "bps") if "rate" in data else ""


def _quantity(name: str, value: Any, unit: str) -> str:
    """Return a quantity in ns-3's notation; plain numbers have the given unit."""
    if _is_number(value) and 0 <= value < 1e15:
        return f"{round(value * 1e9)}ns" if unit == "s" else f"{round(value)}{unit}"
    if isinstance(value, str) and _QUANTITY.fullmatch(value):
        return value
    one = "5ms" if unit == "s" else "10Mbps"
    raise ValueError(
        f"an edge has {name}={value!r}, which is not a number with a unit, such as {one}"
    )


def _great_circle(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Return the shortest distance on a sphere in km, of places in degrees (haversine formula)."""
    (east, north), (other_east, other_north) = (
        tuple(map(math.radians, one)) for one in (first, second)
    )
    half = math.sin((other_north - north) / 2) ** 2
    half += math.cos(north) * math.cos(other_north) * math.sin((other_east - east) / 2) ** 2
    return 2 * _EARTH_KM * math.asin(math.sqrt(half))
