# SPDX-License-Identifier: GPL-2.0-only
"""Networks of hosts and switches, as in Mininet: `single`, `linear` and `tree`.

Hosts are called h1, h2 and so on, switches s1, s2 and so on. Recordings use these names, unless
another topology of the episode has the same name. Links have `bw`, `delay` and `loss` like
Mininet's TCLink, with bandwidth in Mbit/s and loss in percent.
"""

from __future__ import annotations

import ipaddress
import itertools
import operator
from typing import Any

from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.scenario.native import Sealed, core
from defiance_zoo.scenario.network import Link, Node, finish_link, install_internet, next_network
from defiance_zoo.scenario.network import nodes as make_nodes


class Topology(Sealed):
    """Hosts with an Internet stack, Ethernet switches, and links; all in one IP network.

    Attributes:
        hosts: Nodes by name, in the order of creation.
        switches: Nodes by name, in the order of creation.
        links: Links between two nodes each.
    """

    def __init__(self, network: str | None = None) -> None:
        """Begin without any node.

        Args:
            network: Network of the addresses that `start()` assigns to hosts; None for the next
                free network of 10.0.0.0/16, 10.1.0.0/16 and so on.
        """
        self.hosts: dict[str, Node] = {}
        self.switches: dict[str, Node] = {}
        self.links: list[Link] = []
        self._network = network

    def __getitem__(self, name: str) -> Node:
        nodes = {**self.hosts, **self.switches}
        if name not in nodes:
            raise KeyError(f"no host or switch is called {name!r}{near_word(name, nodes)}")
        return nodes[name]

    def add_host(self, name: str | None = None) -> str:
        """Add a host, and return its name.

        Raises:
            ValueError: Another node has the name.
        """
        return self._add(self.hosts, name or f"h{len(self.hosts) + 1}")

    def add_switch(self, name: str | None = None) -> str:
        """Add a switch, and return its name.

        Raises:
            ValueError: Another node has the name.
        """
        return self._add(self.switches, name or f"s{len(self.switches) + 1}")

    def add_link(
        self, one: str, other: str, *, bw: float = 100.0, delay: Any = "0ms", loss: float = 0.0
    ) -> Link:
        """Link two of the nodes.

        Args:
            one: Name of a host or switch.
            other: Name of another host or switch.
            bw: Bandwidth in Mbit/s.
            delay: One-way delay.
            loss: Probability that a packet is lost, in percent.

        Raises:
            KeyError: No node has such a name; the message has the nearest one.
            ValueError: The loss is outside 0 to 100 percent, or both names are the same.
        """
        if one == other:
            raise ValueError(f"a cable cannot link {one!r} with itself")
        ends = [self[one], self[other]]
        link = finish_link(Link(core.ethernet(ends, int(bw * 1e6), delay)), ends, loss / 100, None)
        self.links.append(link)
        return link

    def start(self) -> list[Node]:
        """Install the switches, assign addresses to the hosts, and return the hosts.

        Raises:
            ValueError: A host does not have exactly one link.
        """
        for switch in self.switches.values():
            ports = [end for link in self.links for end in link if end.node == switch]
            core.bridge(switch, ports)
        ends = []
        for name, host in self.hosts.items():
            own = [end for link in self.links for end in link if end.node == host]
            if len(own) != 1:
                raise ValueError(f"host {name!r} has {len(own)} links, but needs one")
            ends += own
        install_internet(self.hosts.values())
        Link(ends).assign(self._network or str(next_network(16)))
        return list(self.hosts.values())

    def _add(self, nodes: dict[str, Node], name: str) -> str:
        if name in self.hosts or name in self.switches:
            raise ValueError(f"two nodes cannot be called {name!r}")
        (nodes[name],) = make_nodes(1)
        if core.is_free_name(name):
            nodes[name].name = name
        return name


def single(hosts: int = 2, *, network: str | None = None, **link: Any) -> list[Node]:
    """Return hosts on one switch.

    Args:
        hosts: Number of hosts.
        network: As for `Topology`.
        **link: Arguments of each link, as for `Topology.add_link`.

    Raises:
        ValueError: A number is not positive, or there are more hosts than addresses.
    """
    return linear(1, hosts, network=network, **link)


def linear(
    switches: int = 2, hosts: int = 1, *, network: str | None = None, **link: Any
) -> list[Node]:
    """Return switches in a row, with equally many hosts each; arguments as for `single`."""
    _check_size(network, switches * hosts, switches=switches, hosts=hosts)
    topology = Topology(network)
    row = [topology.add_switch() for _ in range(switches)]
    for switch in row:
        for name in [topology.add_host() for _ in range(hosts)]:
            topology.add_link(name, switch, **link)
    for one, other in itertools.pairwise(row):
        topology.add_link(one, other, **link)
    return topology.start()


def tree(depth: int = 1, fanout: int = 2, *, network: str | None = None, **link: Any) -> list[Node]:
    """Return a tree of switches with `fanout ** depth` hosts; arguments as for `single`."""
    _check_size(network, fanout ** min(depth, 32), depth=depth, fanout=fanout)
    topology = Topology(network)

    def grow(left: int) -> str:
        if left == 0:
            return topology.add_host()
        switch = topology.add_switch()
        for _ in range(fanout):
            topology.add_link(switch, grow(left - 1), **link)
        return switch

    grow(depth)
    return topology.start()


def _check_size(network: str | None, size: int, **numbers: int) -> None:
    """Refuse numbers of nodes below 1, and more hosts than a network has addresses."""
    for name, number in numbers.items():
        if operator.index(number) < 1:
            raise ValueError(f"{name}={number} must be at least 1")
    addresses = (ipaddress.ip_network(network).num_addresses if network else 2**16) - 2
    if size > addresses:
        raise ValueError(f"{numbers} are more hosts than the {addresses} addresses of a network")
