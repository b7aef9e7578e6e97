# SPDX-License-Identifier: GPL-2.0-only
"""Routers and their links, and the text that describes them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Router:
    """A router.

    Attributes:
        name: Name without blanks.
        x: Horizontal position; longitude in degrees on a map.
        y: Vertical position; latitude in degrees on a map.
    """

    name: str
    x: float = 0.0
    y: float = 0.0


@dataclass(frozen=True)
class Link:
    """A link, in both directions.

    Attributes:
        first: Number of a router.
        second: Number of another router.
        delay: One-way delay in ns-3's notation, such as `5728us`; empty: the parameter
            `link_delay`.
        rate: Data rate in ns-3's notation, such as `10Mbps`; empty: the parameter `link_rate`.
    """

    first: int
    second: int
    delay: str = ""
    rate: str = ""


@dataclass(frozen=True)
class Topology:
    """Routers, numbered by position, and links.

    Attributes:
        routers: Routers by number.
        links: Links by number; the ports of a router are its links in this order.
    """

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

    @classmethod
    def of_text(cls, text: str) -> Topology:
        """Return the topology of a valid text, as from `text`."""
        routers: list[Router] = []
        links: list[Link] = []
        numbers: dict[str, int] = {}
        for line in text.splitlines():
            match line.partition("#")[0].split():
                case ["node", name, *place]:
                    numbers[name] = len(routers)
                    routers.append(Router(name, *map(float, place)))
                case ["link", first, second, *rest]:
                    options = dict(zip(rest[::2], rest[1::2], strict=True))
                    ends = numbers[first], numbers[second]
                    links.append(Link(*ends, options.get("delay", ""), options.get("rate", "")))
        return cls(tuple(routers), tuple(links))
