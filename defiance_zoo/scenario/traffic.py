# SPDX-License-Identifier: GPL-2.0-only
"""Traffic of the scenario: downloads, with a callback at the end, and packets over UDP."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, get_args

from defiance_zoo.bridge.system.spelling import require_choice
from defiance_zoo.scenario.native import Sealed, core
from defiance_zoo.scenario.network import Node, require_node, used_ports


def download(
    server: Node,
    client: Node,
    size: int,
    on_done: Callable[[], Any],
    *,
    persistent: bool = True,
) -> None:
    """Download bytes over TCP, like an HTTP client.

    The client sends a request of 200 bytes, and the server answers. Downloads of the same nodes
    happen one after the other, in the order of the calls. If TCP gives a connection up after
    several retransmissions, the episode ends with an error.

    Args:
        server: The node that sends. The client uses its first address.
        client: The node that receives.
        size: Bytes, without headers.
        on_done: Function without arguments, called when the last byte has arrived.
        persistent: Whether the downloads of these nodes share one connection, which keeps its
            congestion window; otherwise each download opens a new connection.

    Raises:
        TypeError: An argument is not a node, not a whole number, or not a function.
        ValueError: The size is not positive, or a node has no address.
    """
    if operator.index(size) <= 0:
        raise ValueError(f"a download has at least one byte, not {size}")
    if not callable(on_done):
        raise TypeError(f"on_done={on_done!r} is not a function")
    for node in (server, client):
        require_node(node).address()
    core.download(server, client, size, on_done, persistent)


Pattern = Literal["constant", "poisson", "on-off", "saturated", "on-demand"]
"""The times at which the packets of traffic are sent."""
_PATHS = 2
_FIRST_PORT, _MORE_PORTS = 9, range(49152, 65536)


class PathCounts(NamedTuple):
    """Packets of traffic on a path, since the traffic began or in a period.

    Attributes:
        sent: Packets that were sent.
        sent_bytes: Payload of these packets.
        arrived: Packets that have arrived.
        arrived_bytes: Payload of these packets.
        delay: Sum of the one-way delays of these packets in s.
        lost: Packets that have not arrived although a later one has. If one of them arrives after
            all, the number falls, so that it may be negative for a period.
    """

    sent: float
    sent_bytes: float
    arrived: float
    arrived_bytes: float
    delay: float
    lost: float


class TrafficCounts(NamedTuple):
    """Packets of traffic, since the traffic began or in a period.

    Attributes:
        paths: Counts of the first and of the second path.
        delivered: Packets that were delivered to the application, late ones included.
        delivered_bytes: Payload of these packets.
        delay: Sum of the times from sending to delivery of these packets in s.
        late: Packets that arrived after the delivery of later ones.
    """

    paths: tuple[PathCounts, PathCounts]
    delivered: float
    delivered_bytes: float
    delay: float
    late: float


class Traffic(Sealed):
    """Packets that a node sends to another one; see `traffic`."""

    def __init__(self, sender: Any, receiver: Any) -> None:
        """Hold applications of ns-3: an `ns3::SplitSender`, and an `ns3::ReorderingReceiver`."""
        self.sender, self.receiver = sender, receiver
        self._taken = self._count()

    def send(self, size: int | None = None, on_delivery: Callable[[], Any] | None = None) -> None:
        """Send one packet now; only with `pattern="on-demand"`.

        Args:
            size: Payload in bytes, from 17 to 60,000; None: the `size` of the traffic.
            on_delivery: Function without arguments, called when the receiver delivers the packet;
                never called for a lost packet.

        Raises:
            ValueError: The pattern is another one, the size is out of range, or the simulation has
                not started yet.
        """
        if (pattern := self.sender["Pattern"]) != "on-demand":
            raise ValueError(f"send() needs traffic with pattern='on-demand', not {pattern!r}")
        core.send_packet(
            self.receiver, self.sender["PacketSize"] if size is None else size, on_delivery
        )

    @property
    def share(self) -> float:
        """The share of packets on the first path, from 0 to 1; can be set at any time."""
        share: float = self.sender["Share"]
        return share

    @share.setter
    def share(self, value: float) -> None:
        self.sender["Share"] = value

    @property
    def rate(self) -> Any:
        """The rate of payload, a `DataRate` above 0; can be set at any time."""
        return self.sender["DataRate"]

    @rate.setter
    def rate(self, value: Any) -> None:
        self.sender["DataRate"] = _read_rate(value)

    def _count(self) -> list[float]:
        counts: list[float] = core.count_traffic(self.receiver)
        return counts

    def count(self) -> TrafficCounts:
        """Return the counts since the traffic began."""
        return _read_counts(self._count())

    def take(self) -> TrafficCounts:
        """Return the counts since the last call, or since the traffic began."""
        before, self._taken = self._taken, self._count()
        return _read_counts([now - then for now, then in zip(self._taken, before, strict=True)])


def _read_counts(counts: list[float]) -> TrafficCounts:
    size = len(PathCounts._fields)
    first, second = (PathCounts(*counts[size * path : size * (path + 1)]) for path in range(_PATHS))
    return TrafficCounts((first, second), *counts[_PATHS * size :])


def traffic(
    sender: Node,
    receiver: Node,
    *,
    pattern: Pattern = "constant",
    rate: Any = "1Mbps",
    size: int = 1000,
    on_time: Any = "1s",
    off_time: Any = "1s",
    window: int = 20,
    paths: Sequence[str] | None = None,
    share: float = 1.0,
    timeout: Any = "0s",
    port: int | None = None,
) -> Traffic:
    """Send packets over UDP from now on, over one path or split over two.

    With two paths, the receiver delivers packets in the order in which they were sent. A packet
    waits for earlier ones, at most for `timeout`. Packets are counted in C++, without calls of
    Python.

    Args:
        sender: The node that sends.
        receiver: The node that receives.
        pattern: "constant" rate; "poisson" arrivals, with exponentially distributed sizes;
            "on-off", with exponentially distributed on and off times; or "saturated", which sends
            whenever fewer than `window` packets are on the path of the next packet. With
            "on-demand", each call of `Traffic.send()` sends a packet. The sender of saturated
            traffic learns of arrivals at once, and treats a packet as lost if its path has
            delivered none for one to two seconds.
        rate: Rate of payload; with "on-off" during on times, each of which begins with a packet. It
            has no effect with "saturated" and "on-demand".
        size: Payload of a packet in bytes, at least 17; with "poisson" its mean, 100 to 12,000.
        on_time: Mean of on times.
        off_time: Mean of off times.
        window: See `pattern`.
        paths: One or two addresses of the receiver; the routes to each address determine its path.
            None: its first address.
        share: Share of packets on the first path; see `Traffic.share`. With "poisson" each packet
            draws its path; otherwise the share is kept packet by packet.
        timeout: Longest wait for earlier packets; 0: packets are delivered as they arrive.
        port: Port of the receiver; None: 9, or a free port if the receiver has other traffic.

    Raises:
        TypeError: An argument is not a node, or a path is not an address.
        ValueError: The pattern is unknown, the nodes are the same one, there are no paths or more
            than two, a number is out of range, or other traffic uses the port.
    """
    if require_node(sender) == require_node(receiver):
        raise ValueError("traffic leads from a node to another one, not to itself")
    require_choice("pattern", pattern, get_args(Pattern))
    if pattern == "poisson" and size not in range(100, 12_001):  # packets have 17 to 60,000 bytes
        raise ValueError(
            f"size={size!r}: sizes of Poisson traffic have a mean from 100 to 12,000 bytes"
        )
    addresses = [receiver.address()] if paths is None else list(paths)
    if not 1 <= len(addresses) <= _PATHS:
        raise ValueError(f"traffic needs one path or two, not paths={paths!r}")
    if not all(isinstance(address, str) for address in addresses):
        raise TypeError(f"paths={paths!r}: addresses of the receiver, such as link.addresses[1]")
    if len(addresses) == 1 and share != 1:
        raise ValueError(f"share={share!r} of packets on the first path leaves some without a path")
    port = _take_port(receiver, port)
    remotes = zip(("Remote", "SecondRemote"), addresses, strict=False)
    made = sender.add(
        "ns3::SplitSender",
        Pattern=pattern,
        DataRate=_read_rate(rate),
        PacketSize=size,
        OnTime=on_time,
        OffTime=off_time,
        Window=window,
        Share=share,
        **{name: (address, port) for name, address in remotes},
    )
    return Traffic(
        made, receiver.add("ns3::ReorderingReceiver", Sender=made, Port=port, Timeout=timeout)
    )


def _take_port(receiver: Node, port: int | None) -> int:
    """Return a port of the receiver that no other traffic uses."""
    used = used_ports(receiver)
    if port is None:
        port = next(each for each in (_FIRST_PORT, *_MORE_PORTS) if each not in used)
    elif port in used:
        raise ValueError(
            f"port={port}: other traffic to {receiver} uses this port; leave port out, or give "
            "each its own"
        )
    used.add(port)
    return port


def _read_rate(rate: Any) -> Any:
    """Return a rate, which must not be 0: an attribute of 0 would end the process."""
    read = core.DataRate(rate)
    if read.bps == 0:
        raise ValueError(f"rate={rate!r}: traffic needs a rate of more than 0 bit/s")
    return read
