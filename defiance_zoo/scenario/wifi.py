# SPDX-License-Identifier: GPL-2.0-only
"""Wi-Fi: loaded on demand, as its models take as long to load as all others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from defiance_zoo.bridge.system.spelling import require_choice
from defiance_zoo.scenario.native import core, load_wifi
from defiance_zoo.scenario.network import Device, Link, Node, as_list, finish_link, has_twice

_LONGEST_NAME = 32
"""Maximum length of a network's name in bytes (IEEE 802.11)."""


def wifi(
    stations: Node | Iterable[Node],
    access_point: Node | None = None,
    *,
    standard: str = "802.11ax",
    channel: str = "",
    manager: str = "ns3::IdealWifiManager",
    attributes: Mapping[str, Any] | None = None,
    ssid: str = "nodes",
    network: str | None = None,
) -> Link:
    """Link nodes by Wi-Fi, on one channel. The nodes need positions first.

    Args:
        stations: A node or several.
        access_point: The node that stations associate with; None: an ad hoc network.
        standard: A standard such as "802.11g".
        channel: Channel in ns-3's notation, such as "{36, 20, BAND_5GHZ, 0}"; empty: the
            standard's.
        manager: Class of the rate control.
        attributes: Attributes of the manager.
        ssid: Name of the network.
        network: Network of the addresses, if all nodes have an Internet stack; see `Link.assign`.

    Returns:
        The devices, with the access point's last.

    Raises:
        TypeError: An argument is not a node, or the manager not a class of rate control.
        ValueError: There is no such standard or channel, there are no stations, a node is there
            twice or has no position, or the network's name has more than 32 bytes.
        AttributeError: No class of ns-3 has the name of the manager.
    """
    module = load_wifi()
    require_choice("standard", standard, module.standards())
    nodes = as_list(stations)
    points = [] if access_point is None else as_list([access_point])
    if not nodes or has_twice([*nodes, *points]):
        raise ValueError(f"Wi-Fi links stations, each once, not {nodes} and {points}")
    for node in (*nodes, *points):
        _ = node.position  # without one, ns-3 would end the process
    chosen = {name: str(value) for name, value in (attributes or {}).items()}
    if not core.is_a(core.create(manager, **chosen), "ns3::WifiRemoteStationManager"):
        raise TypeError(f"manager={manager!r} is not a rate control, such as ns3::IdealWifiManager")
    if len(str(ssid).encode()) > _LONGEST_NAME:
        raise ValueError(f"ssid={ssid!r} has more than {_LONGEST_NAME} bytes")
    try:
        installed = module.install(
            [node.id for node in nodes],
            [node.id for node in points],
            standard,
            channel,
            manager,
            chosen,
            str(ssid),
        )
    except RuntimeError as error:  # ns-3's exception if there is no such channel
        raise ValueError(f"channel={channel!r}, standard={standard!r}: {error}") from None
    every = {node.id: node for node in (*nodes, *points)}
    link = Link(every[node].devices[device] for node, device in installed)
    return finish_link(link, [*nodes, *points], 0.0, network)


def record(prefix: str, device: Device) -> None:
    """Record the frames that a Wi-Fi device sends and receives, with radio headers; see `pcap`."""
    number = device.node.devices.index(device)
    load_wifi().pcap(prefix, device.node.id, number)
