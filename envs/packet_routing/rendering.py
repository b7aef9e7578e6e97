# SPDX-License-Identifier: GPL-2.0-only
"""A map of routers with the waiting times at each end of each link, drawn with NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from defiance_zoo.environments import AgentView, Renderer
from defiance_zoo.environments.rendering.characters import Characters, stretch
from defiance_zoo.environments.rendering.lettering import Picture, width, write, write_legend

_WIDTH, _HEIGHT, _HEAD, _MARGIN = 600, 420, 24, 36  # in pixels
_TEXT, _ROUTER, _FAILED = (60, 60, 60), (60, 60, 60), (200, 200, 200)
_NO_WAIT, _LONG_WAIT = (0, 114, 178), (213, 94, 0)
_COLUMNS, _ROWS = 76, 24  # size of the map in text
_MARKS = ".:*#"
"""Characters of links in text, by waiting time; `x` for a failed link."""
_LONG_S = 0.2
"""Waiting time from which a port is drawn as full."""
_LEGEND: dict[str, tuple[int, int, int]] = {
    "no waiting at the router": _NO_WAIT,
    f"{_LONG_S:g} s and more": _LONG_WAIT,
}


@dataclass(frozen=True)
class Port:
    """The end of a link at a router."""

    neighbour: int  # number of the router at the other end
    waiting: float  # waiting time of a packet, in s
    works: bool  # whether the link works


@dataclass(frozen=True)
class RouterState:
    """The state of a router in its agent's view: name, position and ports by number."""

    name: str
    x: float
    y: float
    ports: tuple[Port, ...]


def read_routers(views: Mapping[str, AgentView]) -> dict[int, RouterState]:
    """Return the routers with positions in their agents' infos, by number."""
    routers = {}
    for view in views.values():
        info = view.info
        if "position" not in info or view.observation is None:
            continue
        neighbours = info["neighbours"]
        first = 2 if "action_mask" in info else 0  # after destination and hops
        waiting, works = np.reshape(view.observation[first : first + 2 * len(neighbours)], (2, -1))
        ports = tuple(
            Port(int(neighbour), float(wait), bool(up))
            for neighbour, wait, up in zip(neighbours, waiting, works, strict=True)
            if neighbour >= 0
        )
        x, y = map(float, info["position"])
        routers[int(info["router"])] = RouterState(info["name"], x, y, ports)
    return routers


class PacketRoutingRenderer(Renderer):
    """Draws each half of a link in a colour for the waiting time at its end.

    Pictures need `infos="all"`. The picture shows the last observation of each router's agent.
    """

    modes = ("ansi", "human", "rgb_array")

    def render(self, mode: str, views: Mapping[str, AgentView], time_ns: int) -> Any:
        """Return text, or a picture of shape (420, 600, 3), uint8."""
        routers = read_routers(views)
        head = f"t = {time_ns / 1e9:.3f} s"
        if mode != "rgb_array":
            return "\n".join([head, *_sketch(routers), *map(_as_text, routers.values())])
        picture = np.full((_HEIGHT, _WIDTH, 3), 255, np.uint8)
        write(picture, head, 8, 8, _TEXT)
        write_legend(picture, _LEGEND, 200, 8, 1.7)
        room = (_WIDTH - 3 * _MARGIN, _HEIGHT - _HEAD - 2 * _MARGIN)
        places = _place(routers, (_MARGIN, _HEAD + _MARGIN), room)
        for number, router in routers.items():
            for port in router.ports:
                if port.neighbour in places:
                    _draw_half(picture, places[number], places[port.neighbour], port)
        for number, router in routers.items():
            left, top = places[number]
            picture[top - 3 : top + 4, left - 3 : left + 4] = _ROUTER
            left = min(left + 6, _WIDTH - 4 - width(router.name, 1.6))
            write(picture, router.name, left, top - 14, _TEXT, 1.6)
        return picture


def _as_text(router: RouterState) -> str:
    ports = [
        f"{port.neighbour} {1e3 * port.waiting:.1f} ms" if port.works else f"{port.neighbour} down"
        for port in router.ports
    ]
    return f"{router.name}: to {', to '.join(ports)}"


def _sketch(routers: Mapping[int, RouterState]) -> list[str]:
    """Return a map of characters, with a character for the waiting time in each half of a link."""
    drawing = Characters(_COLUMNS, _ROWS)
    places = _place(routers, (1, 0), (_COLUMNS - 8, _ROWS - 1))
    for number, router in routers.items():
        for port in router.ports:
            if port.neighbour in places:
                start, end = np.array(places[number]), np.array(places[port.neighbour])
                share = min(port.waiting / _LONG_S, 1.0)
                mark = _MARKS[round(share * (len(_MARKS) - 1))] if port.works else "x"
                drawing.line(start, (start + end) / 2, mark)
    for number, router in routers.items():
        drawing.write(router.name, *places[number])
    return drawing.lines() if routers else []


def _place(
    routers: Mapping[int, RouterState], corner: tuple[int, int], room: tuple[int, int]
) -> dict[int, tuple[int, int]]:
    """Return column and row of each router in the drawing."""
    if not routers:
        return {}
    points = stretch([(router.x, -router.y) for router in routers.values()], corner, room)
    return {number: (int(x), int(y)) for number, (x, y) in zip(routers, points, strict=True)}


def _draw_half(picture: Picture, start: tuple[int, int], end: tuple[int, int], port: Port) -> None:
    """Draw a link from a router to the middle, two points wide."""
    share = min(port.waiting / _LONG_S, 1.0)
    free, full = np.array(_NO_WAIT, float), np.array(_LONG_WAIT, float)
    colour = free + share * (full - free) if port.works else np.array(_FAILED)
    begin, middle = np.array(start, float), (np.array(start, float) + end) / 2
    steps = max(2, int(np.abs(middle - begin).max()) + 1)
    columns, rows = np.round(np.linspace(begin, middle, steps)).astype(int).T
    for shift in (0, 1):
        picture[rows + shift, columns] = colour
        picture[rows, columns + shift] = colour
