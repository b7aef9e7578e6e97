# SPDX-License-Identifier: GPL-2.0-only
"""Queues and links: how much waits, and which part of the capacity is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.viewing.columns import encode
from defiance_zoo.viewing.network import Network

Columns = Mapping[str, NDArray[Any]]


def describe_loads(columns: Columns, network: Network) -> list[dict[str, Any]]:
    """Return what each device has sent, and what waited there, for the page.

    Args:
        columns: Of `links.csv`.
        network: Whose devices they are.
    """
    pairs = sorted(set(zip(columns["link"].tolist(), columns["node"].tolist(), strict=True)))
    places = network.link_places()
    found = []
    for link, node in pairs:
        mine = (columns["link"] == link) & (columns["node"] == node)
        own = {name: np.asarray(each)[mine] for name, each in columns.items()}
        order = np.argsort(own["time_ns"], kind="stable")
        own = {name: each[order] for name, each in own.items()}
        rate = network.rate_bps(link)
        sent = sending_rates(own["time_ns"], own["sent_bytes"])
        most = float(rate) if rate else float(sent.max(initial=0.0)) or 1.0
        share = sent / most
        used = ("used part of the rate", share) if rate else ("sent, bit/s", sent)
        drawn = [
            ("queue, packets", own["queue_packets"]),
            ("queue, bytes", own["queue_bytes"]),
            used,
        ]
        found.append(
            {
                "name": network.device_name(link, node),
                "link": places.get(link, -1),
                "time": encode(own["time_ns"]),
                "share": encode(share.astype(np.float32)),
                "curves": [
                    {"name": name, "values": encode(values.astype(np.float32)), "held": True}
                    for name, values in drawn
                ],
            }
        )
    return found


def sending_rates(time_ns: NDArray[Any], sent_bytes: NDArray[Any]) -> NDArray[np.float64]:
    """Return bits a second from each sample to the next; 0 after the last one.

    Args:
        time_ns: Shape (n,), ascending.
        sent_bytes: Shape (n,): since the beginning.

    Returns:
        Shape (n,).
    """
    lengths = np.diff(time_ns.astype(np.float64)) / 1e9
    bits = 8 * np.diff(sent_bytes.astype(np.float64))
    rates = np.divide(bits, lengths, out=np.zeros_like(bits), where=lengths > 0)
    return np.append(rates, 0.0) if len(time_ns) else rates
