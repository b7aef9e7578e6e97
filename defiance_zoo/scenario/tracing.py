# SPDX-License-Identifier: GPL-2.0-only
"""Packet captures and flow counters."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from defiance_zoo.scenario.native import core
from defiance_zoo.scenario.network import Device
from defiance_zoo.scenario.wifi import record


class Trial:
    """The trial episode, whose captures would hold no packets, and are not made."""

    is_built = False


def simulation_number() -> int:
    """Return the number of this simulation in a vector environment, from 1 on; 0 without a vector.

    A number in the names of files keeps the files of simulations that run side by side apart.
    """
    return int(core.simulation_number())


def pcap(prefix: str, devices: Device | Iterable[Device], *, promiscuous: bool = False) -> None:
    """Record packets in files for Wireshark, `PREFIX-NODE-DEVICE.pcap`.

    In a vector environment, the names are `PREFIX-NUMBER-NODE-DEVICE.pcap` with the number of the
    simulation; see `simulation_number`.

    Args:
        prefix: Prefix of the files' names, in an existing folder.
        devices: A link, a device or several.
        promiscuous: Whether packets for other nodes are recorded, too; always with Wi-Fi.

    Raises:
        FileNotFoundError: There is no such folder.
        ValueError: The prefix is empty.
    """
    if not prefix:
        raise ValueError("a capture needs a prefix for the names of its files")
    folder = os.path.dirname(prefix)  # noqa: PTH120 (pathlib takes long to import)
    if folder and not os.path.isdir(folder):  # noqa: PTH112
        raise FileNotFoundError(f"there is no folder {folder!r} for {prefix!r}")
    if Trial.is_built:
        return
    if number := simulation_number():
        prefix = f"{prefix}-{number}"
    for device in devices if isinstance(devices, Iterable) else [devices]:
        if device.type == "ns3::WifiNetDevice":
            record(prefix, device)
        else:
            core.pcap(prefix, device, promiscuous)


def watch_flows() -> None:
    """Begin to count the flows of packets between nodes; see `flows`."""
    core.watch_flows()


def flows() -> list[dict[str, Any]]:
    """Return the counters of each flow until now.

    Returns:
        Dicts with `source` and `destination` (address, port), `protocol` (6 is TCP, 17 UDP),
        `tx_packets`, `rx_packets`, `lost_packets`, `tx_bytes`, `rx_bytes`, and the times
        `delay_sum` and `jitter_sum`, of all packets that were received.
    """
    return list(core.flows())
