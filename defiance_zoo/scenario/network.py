# SPDX-License-Identifier: GPL-2.0-only
"""Nodes, the links between them, addresses and routes."""

from __future__ import annotations

import ipaddress
import operator
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, SupportsFloat, overload

from defiance_zoo.scenario.native import Sealed, core
from defiance_zoo.scenario.wiring import note_interval

Node = core.Node
Device = core.Device


class Link(Sealed, Sequence[Device]):
    """A link: one network device on each of its nodes, in their order.

    Attributes:
        addresses: IPv4 addresses of the devices as texts; empty if the nodes have no Internet
            stack.
    """

    def __init__(self, devices: Iterable[Device]) -> None:
        """Make a link of devices that share a channel."""
        self._devices = list(devices)
        self.addresses: list[str] = []

    @overload
    def __getitem__(self, index: int) -> Device: ...

    @overload
    def __getitem__(self, index: slice) -> list[Device]: ...

    def __getitem__(self, index: int | slice) -> Device | list[Device]:
        return self._devices[index]

    def __len__(self) -> int:
        return len(self._devices)

    def __iter__(self) -> Iterator[Device]:
        return iter(self._devices)

    @property
    def channel(self) -> core.Object:
        """The channel that the devices share."""
        return self._devices[0].channel

    def assign(self, network: str | None = None) -> list[str]:
        """Give the devices addresses of a network, and return them.

        Args:
            network: An address such as "10.1.1.0/24" or "2001:db8::/64"; None for the next free
                network of 10.0.0.0/24, 10.0.1.0/24 and so on, or a wider one for more devices.

        Raises:
            ValueError: The text is not a network, the network has too few addresses or is reserved,
                its first addresses have been assigned, or a node has no Internet stack.
        """
        for device in self._devices:
            if not core.has_internet(device.node):
                raise ValueError(f"{device.node} has no Internet stack: see install_internet()")
        needed = len(self) + 2
        chosen = (
            next_network(min(24, 32 - (needed - 1).bit_length()))
            if network is None
            else ipaddress.ip_network(network)
        )
        first = chosen.network_address + 1
        if first.is_multicast or first.is_loopback or first.is_reserved or first.packed[0] == 0:
            raise ValueError(f"{chosen} is reserved, so that devices cannot have its addresses")
        if chosen.num_addresses < needed:
            raise ValueError(f"{chosen} has fewer addresses than the {len(self)} devices need")
        base = str(chosen.network_address)
        if chosen.version == 6:
            return list(core.assign_ipv6(self._devices, base, chosen.prefixlen))
        give_out(chosen, len(self))
        if network is not None:
            _Networks.named.append(chosen)
        self.addresses = core.assign_ipv4(self._devices, base, str(chosen.netmask))
        return self.addresses


class _Networks:
    """The IPv4 networks and ports that were assigned in this episode."""

    next = 0
    named: list[ipaddress.IPv4Network] = []  # noqa: RUF012 (of this process)
    given: list[range] = []  # noqa: RUF012 (of this process); ascending
    ports: dict[int, set[int]] = {}  # noqa: RUF012 (of this process)
    begun = False


def begin() -> None:
    """Begin without assigned addresses and ports."""
    _Networks.next = int(ipaddress.IPv4Address("10.0.0.0"))
    _Networks.named.clear()
    _Networks.given.clear()
    _Networks.ports.clear()
    _Networks.begun = True
    core.begin_episode()


def used_ports(receiver: Node) -> set[int]:
    """Return the ports of traffic to a node in this episode, a set to which callers add."""
    return _Networks.ports.setdefault(receiver.id, set())


def give_out(network: ipaddress.IPv4Network, count: int) -> None:
    """Reserve the addresses of some devices, which ns-3 assigns from the first one on."""
    first = int(network.network_address) + 1
    place = bisect_left(_Networks.given, first, key=lambda each: each.stop - 1)
    for other in _Networks.given[place : place + 1]:
        if other.start < first + count:
            raise ValueError(
                f"{ipaddress.IPv4Address(max(first, other.start))} of {network} has been "
                "assigned before: choose another network, or leave `network` out"
            )
    _Networks.given.insert(place, range(first, first + count))


def next_network(length: int = 24) -> ipaddress.IPv4Network:
    """Return the next free IPv4 network from 10.0.0.0 on."""
    size = 1 << (32 - length)
    taken: ipaddress.IPv4Network | None
    while True:
        chosen = ipaddress.IPv4Network((-(-_Networks.next // size) * size, length))
        taken = next((each for each in _Networks.named if each.overlaps(chosen)), None)
        _Networks.next = int((taken or chosen).broadcast_address) + 1
        if taken is None:
            return chosen


def nodes(count: int, *, internet: bool = False, names: Sequence[str] | None = None) -> list[Node]:
    """Create nodes.

    Args:
        count: Number of nodes.
        internet: Whether nodes get an Internet stack, so that links assign addresses.
        names: Names of the nodes in messages, recordings, pictures and ns-3's paths
            ("/Names/client"); None: nodes have only numbers. `node.name` sets it later.

    Raises:
        TypeError: The count is not a whole number.
        ValueError: The count is negative, the number of names differs, or a name is taken or
            invalid.
        RuntimeError: No episode is being built.
    """
    if not _Networks.begun:
        raise RuntimeError(
            "nodes belong to an episode: create them in the function of @sim.episode"
        )
    if operator.index(count) < 0:
        raise ValueError(f"there cannot be {count} nodes")
    if names is not None and (isinstance(names, str) or len(names) != count):
        raise ValueError(f"{count} nodes need {count} names, not {names!r}")
    created = [core.Node() for _ in range(count)]
    for node, name in zip(created, names or (), strict=False):
        node.name = name
    if internet:
        install_internet(created)
    return created


def install_internet(nodes: Node | Iterable[Node]) -> None:
    """Give nodes an Internet stack: IPv4, IPv6, UDP, TCP, static and global routes.

    Raises:
        TypeError: An argument is not a node.
    """
    core.install_internet(as_list(nodes))


def point_to_point(
    first: Node,
    second: Node,
    *,
    rate: Any = "100Mbps",
    delay: Any = "1ms",
    queue: str = "100p",
    loss: float = 0.0,
    flow_control: bool = True,
    network: str | None = None,
    capacity: str | Sequence[int] | None = None,
) -> Link:
    """Link two nodes with a separate cable.

    Args:
        first: A node.
        second: Another node.
        rate: Data rate in each direction.
        delay: One-way delay.
        queue: Size of the queue of each device: packets ("100p") or bytes ("64kB").
        loss: Probability that a packet is lost on its way.
        flow_control: Whether packets wait in a queue disc when the queue is full; otherwise they
            are lost.
        network: Network of the addresses, if both nodes have an Internet stack; see `Link.assign`.
        capacity: A trace, which replaces `rate` for the first node: the path
            of a file, or the times in its lines. At each time, in whole milliseconds from now and
            in ascending order, 1500 bytes of IP packets may be sent. After the last time the trace
            repeats. Packets are IPv4.

    Raises:
        TypeError: An argument is not a node.
        ValueError: The nodes are the same one, or the capacity is not a trace.
    """
    ends = as_list([first, second])
    if first == second:
        raise ValueError("a cable cannot link a node with itself")
    note_interval("point_to_point", delay, "delay")
    if capacity is None:
        devices = core.point_to_point(ends, rate, delay, queue, flow_control)
    else:
        devices = core.point_to_point_by_trace(ends, capacity, rate, delay, queue, flow_control)
    return finish_link(Link(devices), ends, loss, network)


def csma(
    nodes: Iterable[Node],
    *,
    rate: Any = "100Mbps",
    delay: Any = "6.56us",
    queue: str = "100p",
    loss: float = 0.0,
    flow_control: bool = True,
    network: str | None = None,
) -> Link:
    """Link nodes with a shared cable (Ethernet); arguments as for `point_to_point`.

    Args:
        nodes: One or more.
        rate: Data rate of the cable.
        delay: Propagation delay.
        queue: Size of the queue of each device.
        loss: Probability that a packet is lost at a receiver.
        flow_control: Whether packets wait in a queue disc when the queue is full.
        network: Network of the addresses.

    Raises:
        TypeError: An argument is not a node.
        ValueError: There are no nodes, or one of them is there twice.
    """
    listed = as_list(nodes)
    note_interval("csma", delay, "delay")
    if not listed or has_twice(listed):
        raise ValueError(f"a cable links nodes, each once, not {listed}")
    devices = core.csma(listed, rate, delay, queue, flow_control)
    return finish_link(Link(devices), listed, loss, network)


def finish_link(link: Link, nodes: list[Node], loss: float, network: str | None) -> Link:
    """Set the loss of a new link, and assign addresses if all nodes can have them."""
    require_probability("loss", loss)
    if loss:
        core.lose_packets(list(link), loss)
    if network is not None or all(core.has_internet(node) for node in nodes):
        link.assign(network)
    return link


def route(node: Node, network: str, via: str) -> None:
    """Route a node's IPv4 packets for a network to a neighbour.

    Args:
        node: The node.
        network: An address such as "10.1.2.0/24"; "0.0.0.0/0" is the default route.
        via: Address of the neighbour.

    Raises:
        TypeError: The first argument is not a node.
        ValueError: The text is not a network, or the node has no such neighbour.
    """
    try:
        parsed = ipaddress.IPv4Network(str(network))
    except ValueError:
        raise ValueError(f"routes are for IPv4: {network!r} is not an IPv4 network") from None
    mask = str(parsed.netmask)
    core.add_route(require_node(node), str(parsed.network_address), mask, str(via))


def use_routing(
    nodes: Node | Iterable[Node], protocol: str, *, priority: int = 10, **attributes: Any
) -> list[core.Object]:
    """Let nodes find IPv4 routes by a protocol, in addition to their static routes.

    Args:
        nodes: A node or several, with an Internet stack and without links.
        protocol: Name of its class, such as "ns3::olsr::RoutingProtocol"; see `load_module`.
        priority: Routes with a higher priority are used first; `route` has 0, `route_globally` -10.
        **attributes: Attributes of the protocol.

    Returns:
        The protocol of each node.

    Raises:
        TypeError: The class is not a routing protocol.
        ValueError: A node has no Internet stack, or has links already.
    """
    made = []
    for node in as_list(nodes):
        made.append(core.create(protocol, **attributes))
        core.add_routing(node, made[-1], priority)
    return made


def queue_disc(device: Device, type: str, **attributes: Any) -> core.Object:
    """Install a queue disc before a device, and return it.

    By default, ns-3 installs FqCoDel with the first address.

    Args:
        device: Device of a link with `flow_control`, on a node with an Internet stack.
        type: Name of its class, such as "ns3::RedQueueDisc".
        **attributes: Attributes of the queue disc.

    Raises:
        TypeError: The class is not a queue disc, or the first argument not a device.
        ValueError: The device can have no queue disc, or the episode has begun.
    """
    if not isinstance(device, Device):
        raise TypeError(f"{device!r} is not a device; link[0] is the first device of a link")
    made: core.Object = core.create(type, **attributes)
    core.set_queue_disc(device, made)
    return made


def on_start(node: Node, function: Callable[[], Any]) -> None:
    """Call a function when a node starts, at the beginning of the episode.

    Args:
        node: The node; if the node has started, an event of this instant calls the function.
        function: Takes no arguments.

    Raises:
        TypeError: An argument is not a node, or not a function.
    """
    core.on_start(require_node(node), function)


def route_globally() -> None:
    """Compute the shortest IPv4 routes between all nodes, and install them."""
    core.populate_routes()


def place(
    nodes: Node | Iterable[Node], positions: Iterable[Sequence[float]] | Sequence[float]
) -> None:
    """Set the positions of nodes, or the first position of a node that moves (see `move`).

    Args:
        nodes: A node or several.
        positions: Positions of the nodes: x, y and optionally z in m; one position for a single
            node.

    Raises:
        TypeError: An argument is not a node.
        ValueError: The number of positions differs from the number of nodes, or one of them is not
            two or three finite numbers.
    """
    listed = as_list(nodes)
    given: list[Any] = list(positions)
    several = any(isinstance(each, Iterable) and not isinstance(each, str) for each in given)
    places = [tuple(given)] if isinstance(nodes, Node) and not several else given
    if len(listed) != len(places):
        raise ValueError(f"{len(listed)} nodes need as many positions, not {len(places)}")
    core.place(listed, [tuple(each) if isinstance(each, Iterable) else each for each in places])


def move(node: Node, model: str, **attributes: Any) -> core.Object:
    """Let a mobility model move a node, and return the model.

    Args:
        node: The node, before it is placed.
        model: Name of a class, such as "ns3::RandomWalk2dMobilityModel".
        **attributes: Attributes of the model.

    Raises:
        TypeError: The class is not a mobility model, or the first argument is not a node.
        ValueError: The node has a position already.
    """
    require_node(node)
    made: core.Object = core.create(model, **attributes)
    if not core.is_a(made, "ns3::MobilityModel"):
        raise TypeError(f"{model} is not a mobility model, such as ns3::RandomWalk2dMobilityModel")
    node.add(made)
    return made


def as_list(values: Node | Iterable[Node]) -> list[Node]:
    """Return a list of one or several nodes."""
    return [require_node(each) for each in (values if isinstance(values, Iterable) else [values])]


def require_node(value: Any) -> Node:
    """Return a node."""
    if not isinstance(value, Node):
        raise TypeError(f"{value!r} is not a node; sc.nodes() makes nodes")
    return value


def has_twice(nodes: Sequence[Node]) -> bool:
    """Return whether a node is in the list more than once."""
    return len({node.id for node in nodes}) < len(nodes)


def require_probability(name: str, value: Any) -> None:
    """Refuse a value that is not a probability."""
    if not isinstance(value, SupportsFloat) or not 0 <= float(value) <= 1:
        raise ValueError(f"{name}={value!r} is not a probability, which is from 0 to 1")
