# SPDX-License-Identifier: GPL-2.0-only
"""The network on the page of an episode: nodes, links, applications, channels, moves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.errors import InvalidRecording
from defiance_zoo.recording.recording import naming_recording, take
from defiance_zoo.recording.viewing.columns import Columns, encode
from defiance_zoo.recording.viewing.layout import Pairs, lay_out, place_beside, spread


class Network:
    """The contents of `topology.json`, with ids replaced by indices of lists."""

    def __init__(self, plain: Mapping[str, Any]) -> None:
        with naming_recording("topology.json"):
            _check(plain)
        self._nodes: list[Mapping[str, Any]] = list(plain.get("nodes", ()))
        self._links: list[Mapping[str, Any]] = list(plain.get("links", ()))
        self._applications: list[Mapping[str, Any]] = list(plain.get("applications", ()))
        self.channels: list[Mapping[str, Any]] = list(plain.get("channels", ()))
        self._places = {each["id"]: place for place, each in enumerate(self._nodes)}

    def link_places(self) -> dict[int, int]:
        """Return the index of each link by its id."""
        return {each["id"]: place for place, each in enumerate(self._links)}

    def rate_bps(self, link: int) -> float | None:
        """Return the data rate of a link, by its id; None if it has no constant rate."""
        for each in self._links:
            if each["id"] == link:
                return each.get("rate_bps")
        return None

    def device_name(self, link: int, node: int) -> str:
        """Return the name of a node's device at a link, by their ids."""
        names = [str(e.get("name") or f"link {link}") for e in self._links if e["id"] == link]
        place = self._places.get(node)
        owner = f"node {node}" if place is None else self._node_name(self._nodes[place])
        return f"{owner}, {names[0] if names else f'link {link}'}"

    def to_plain(
        self,
        positions: Columns | None,
        moves: Columns | None,
        channels: Sequence[Mapping[str, Any]],
    ) -> dict[str, Any]:
        """Return the network for the page."""
        ends = [self._known(each.get("nodes", ())) for each in self._links]
        places, laid_out = self._find_places(ends, self._channel_ends())
        offsets = spread(places)
        drawn = places + offsets
        application = {each["name"]: place for place, each in enumerate(self._applications)}
        return {
            "laid_out": laid_out,
            "nodes": [
                {
                    "name": self._node_name(each),
                    "title": _describe_node(each),
                    "x": float(drawn[place, 0]),
                    "y": float(drawn[place, 1]),
                }
                for place, each in enumerate(self._nodes)
            ],
            "links": [
                {"kind": each.get("kind", "other"), "nodes": nodes, "title": _describe_link(each)}
                for each, nodes in zip(self._links, ends, strict=True)
            ],
            "applications": [
                {
                    "name": each["name"],
                    "role": each.get("role", ""),
                    "node": self._places.get(each.get("node"), -1),
                }
                for each in self._applications
            ],
            "channels": [
                {
                    "name": each["name"],
                    "from": application.get(each["from"], -1),
                    "to": application.get(each["to"], -1),
                    "simple": each["kind"] == "simple",
                }
                for each in channels
            ],
            "moves": self._moves(positions, offsets),
            "application_moves": self._application_moves(moves, application),
        }

    def _node_name(self, node: Mapping[str, Any]) -> str:
        return str(node.get("name") or f"node {node['id']}")

    def _known(self, nodes: Sequence[int]) -> list[int]:
        return [self._places[each] for each in nodes if each in self._places]

    def _channel_ends(self) -> list[list[int]]:
        """Return the nodes of each channel."""
        homes = {each["name"]: each.get("node") for each in self._applications}
        pairs = ((homes.get(each["from"]), homes.get(each["to"])) for each in self.channels)
        return [self._known([node for node in pair if node is not None]) for pair in pairs]

    def _find_places(self, links: Pairs, channels: Pairs) -> tuple[NDArray[np.float64], bool]:
        """Return the positions of nodes, and whether some were computed by a layout."""
        given = [each.get("position") for each in self._nodes]
        known = np.array([each is not None for each in given], dtype=bool)
        places = np.array([(each or (0, 0))[:2] for each in given], dtype=np.float64).reshape(-1, 2)
        if known.all() and (len(places) < 2 or np.ptp(places, axis=0).any()):
            return places, False
        if known.any() and np.ptp(places[known], axis=0).any():
            return place_beside(places, known, links, channels), True
        return lay_out(len(places), links, channels), True

    def _moves(
        self, positions: Columns | None, offsets: NDArray[np.float64]
    ) -> list[dict[str, Any] | None]:
        found: list[dict[str, Any] | None] = [None] * len(self._nodes)
        if positions is None:
            return found
        for node, place in self._places.items():
            mine = positions["node"] == node
            if mine.any() and self._nodes[place].get("position") is not None:
                found[place] = {
                    "time": encode(positions["time_ns"][mine]),
                    "x": encode(positions["x"][mine] + offsets[place, 0]),
                    "y": encode(positions["y"][mine] + offsets[place, 1]),
                }
        return found

    def _application_moves(
        self, moves: Columns | None, application: Mapping[str, int]
    ) -> dict[str, Any]:
        rows = [
            (time, application[name], self._places[node])
            for time, name, node in (
                zip(moves["time_ns"], moves["application"], moves["node"], strict=True)
                if moves is not None
                else ()
            )
            if name in application and node in self._places
        ]
        names = ("time", "application", "node")
        return {name: encode([row[i] for row in rows]) for i, name in enumerate(names)}


_FIELDS: Mapping[str, Mapping[str, type | UnionType]] = {
    "nodes": {"id": int},
    "links": {"id": int, "nodes": list},
    "applications": {"name": str},
    "channels": {"id": int, "from": str, "to": str},
}
_OPTIONAL: Mapping[str, Mapping[str, type | UnionType]] = {
    "links": {"rate_bps": int | float, "delay_ns": int | float},
    "applications": {"node": int},
}
"""Fields that may be null or missing."""


def _check(plain: Mapping[str, Any]) -> None:
    for part, fields in _FIELDS.items():
        for each in plain.get(part, ()):
            for name, kind in fields.items():
                take(each, name, kind, f"{part}.")
    for part, optional in _OPTIONAL.items():
        for each in plain.get(part, ()):
            for name, kind in optional.items():
                if each.get(name) is not None:
                    take(each, name, kind, f"{part}.")
    for link in plain.get("links", ()):
        if not all(isinstance(node, int) for node in link["nodes"]):
            raise InvalidRecording(f"the nodes of link {link['id']} are invalid")
    for node in plain.get("nodes", ()):
        where = node.get("position")
        numbers = isinstance(where, list) and all(map(_is_finite, where))
        if where is not None and not (numbers and len(where) >= 2):
            raise InvalidRecording(f"the position of node {node['id']} is invalid")


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _describe_node(node: Mapping[str, Any]) -> str:
    where = node.get("position")
    coordinates = f" at ({', '.join(f'{each:g}' for each in where)}) m" if where else ""
    return f"node {node['id']}{coordinates}"


def _describe_link(link: Mapping[str, Any]) -> str:
    parts = [str(link.get("name") or ""), str(link.get("kind", "other"))]
    if link.get("rate_bps") is not None:
        parts.append(f"{link['rate_bps'] / 1e6:g} Mbit/s")
    if link.get("delay_ns") is not None:
        parts.append(f"{link['delay_ns'] / 1e6:g} ms")
    return ", ".join(part for part in parts if part)
