# SPDX-License-Identifier: GPL-2.0-only
"""Queues and links: lengths of queues, and used parts of capacities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.recording.viewing.columns import Columns, encode
from defiance_zoo.recording.viewing.network import Network


def describe_loads(columns: Columns, network: Network) -> list[dict[str, Any]]:
    """Return the sent bytes and the queue of each device, for the page.

    Args:
        columns: Columns of `links.csv`.
        network: Network of the devices.
    """
    pairs = sorted(set(zip(columns["link"].tolist(), columns["node"].tolist(), strict=True)))
    interval = sampling_interval(columns["time_ns"])
    found = []
    for link, node in pairs:
        mine = (columns["link"] == link) & (columns["node"] == node)
        own = {name: np.asarray(each)[mine] for name, each in columns.items()}
        order = np.argsort(own["time_ns"], kind="stable")
        found.append(
            _describe(network, link, node, {n: e[order] for n, e in own.items()}, interval)
        )
    return found


def _describe(
    network: Network, link: int, node: int, columns: Columns, interval: float
) -> dict[str, Any]:
    rate = network.rate_bps(link)
    times, sent = sending_rates(columns["time_ns"], columns["sent_bytes"], interval)
    most = float(rate) if rate else float(sent.max(initial=0.0)) or 1.0
    share = sent / most
    return {
        "name": network.device_name(link, node),
        "link": network.link_places().get(link, -1),
        "queues": {
            "time": encode(columns["time_ns"]),
            "curves": [
                _curve("queue, packets", columns["queue_packets"]),
                _curve("queue, bytes", columns["queue_bytes"]),
            ],
        },
        "rates": {
            "time": encode(times),
            "curves": [
                _curve("used part of the rate", share) if rate else _curve("sent, bit/s", sent)
            ],
        },
        "share": encode(share.astype(np.float32)),
    }


def _curve(name: str, values: NDArray[Any]) -> dict[str, Any]:
    return {"name": name, "values": encode(values.astype(np.float32)), "held": True}


def sampling_interval(time_ns: NDArray[Any]) -> float:
    """Return the time between samples in nanoseconds, given that unchanged samples are left out.

    The result is the minimum time between two samples; the last one may be earlier and is ignored.
    """
    steps = np.diff(np.unique(time_ns)[:-1].astype(np.float64))
    return float(steps.min()) if len(steps) else np.inf


def sending_rates(
    time_ns: NDArray[Any], sent_bytes: NDArray[Any], interval_ns: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rate in bits per second over time.

    Args:
        time_ns: Shape (n,), ascending: times of samples, without unchanged ones.
        sent_bytes: Shape (n,): bytes since the beginning.
        interval_ns: Interval of samples: the change of a sample is no older.

    Returns:
        Shape (m,), twice: times in nanoseconds, and the rate from each time to the next; 0 after
        the last one.
    """
    before = time_ns[:1] > 0
    times = np.concatenate([np.zeros(before.sum()), time_ns.astype(np.float64)])
    sent = np.concatenate([np.zeros(before.sum()), sent_bytes.astype(np.float64)])
    begins = np.maximum(times[:-1], times[1:] - interval_ns)
    lengths, bits = (times[1:] - begins) / 1e9, 8 * np.diff(sent)
    rates = np.divide(bits, lengths, out=np.zeros_like(bits), where=lengths > 0)
    idle = begins > times[:-1]
    at = np.concatenate([times[:-1][idle], begins, times[-1:]])
    values = np.concatenate([np.zeros(idle.sum()), rates, np.zeros(len(times[-1:]))])
    order = np.argsort(at, kind="stable")
    return at[order], values[order]
