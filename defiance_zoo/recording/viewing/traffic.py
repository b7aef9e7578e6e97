# SPDX-License-Identifier: GPL-2.0-only
"""Messages of RL applications with their delays and losses, and the loads of queues and links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.recording.files.loading import OUTCOMES
from defiance_zoo.recording.viewing.columns import Columns, encode
from defiance_zoo.recording.viewing.network import Network

NOT_ARRIVED = len(OUTCOMES)
"""`flights.js` uses this number, and those of `OUTCOMES`."""
_OVERDUE = 2
"""Multiple of its channel's longest delay after which a datagram counts as not arrived."""
BINS = 40
_LOGARITHMIC = 20
"""Ratio of the longest to the shortest delay from which a histogram has growing bins."""


@dataclass(frozen=True)
class Traffic:
    """Messages for the page.

    Attributes:
        messages: Columns `sent`, `received`, `channel`, `bytes`, `outcome`, in order of `sent`.
        channels: For each channel its name, ends, kind, counts, and delays in nanoseconds.
        delays: Histograms: of all messages, then of each channel.
    """

    messages: dict[str, Any]
    channels: list[dict[str, Any]]
    delays: list[dict[str, Any]]


def describe_traffic(
    columns: Columns, channels: Sequence[Mapping[str, Any]], end_ns: float
) -> Traffic:
    """Return messages for the page.

    No node in the network detects a datagram lost on a link: it has no outcome at the end. A
    datagram that was sent more than twice the longest delay of its channel before the end counts as
    not arrived.
    """
    order = np.argsort(columns["sent_ns"], kind="stable")
    sent = columns["sent_ns"][order].astype(np.float64)
    received = columns["received_ns"][order].astype(np.float64)
    ids = columns["channel"][order]
    size = columns["bytes"][order]
    names = columns["outcome"][order]
    outcome = np.array([OUTCOMES.index(each) for each in names], dtype=np.int64)
    delay = np.where(outcome == 0, received - sent, np.nan)
    usual = float(np.nanmedian(delay)) if np.isfinite(delay).any() else end_ns / 100
    known = complete(channels, ids)
    places = {each["id"]: place for place, each in enumerate(known)}
    channel = np.array([places[each] for each in ids], dtype=np.int64)
    described, delays = [], [_histogram("all channels", delay)]
    for place, each in enumerate(known):
        mine = channel == place
        if each["kind"] == "udp":
            longest = np.nanmax(delay[mine], initial=usual)
            overdue = end_ns - sent > _OVERDUE * longest
            outcome[mine & overdue & (outcome == OUTCOMES.index("in flight"))] = NOT_ARRIVED
        described.append(_describe_channel(each, outcome[mine], size[mine], delay[mine], usual))
        delays.append(_histogram(each["name"], delay[mine]))
    messages = {
        "sent": encode(sent),
        "received": encode(np.where(outcome == 0, received, np.nan)),
        "channel": encode(channel),
        "bytes": encode(size),
        "outcome": encode(outcome),
    }
    return Traffic(messages, described, delays)


def complete(
    channels: Sequence[Mapping[str, Any]], ids: NDArray[Any] | Sequence[int]
) -> list[dict[str, Any]]:
    """Return channels with their names, followed by channels that only messages name."""
    listed = [
        {
            "id": each["id"],
            "name": f"{each.get('from', '?')} → {each.get('to', '?')}",
            "kind": each.get("kind", ""),
            "from": each.get("from"),
            "to": each.get("to"),
        }
        for each in channels
    ]
    others = sorted({int(each) for each in np.unique(ids)} - {each["id"] for each in listed})
    return listed + [
        {"id": each, "name": f"channel {each}", "kind": "", "from": None, "to": None}
        for each in others
    ]


def _describe_channel(
    channel: Mapping[str, Any],
    outcome: NDArray[np.int64],
    size: NDArray[Any],
    delay: NDArray[np.float64],
    usual: float,
) -> dict[str, Any]:
    arrived = delay[np.isfinite(delay)]
    counts = np.bincount(outcome, minlength=NOT_ARRIVED + 1)
    quantiles = np.quantile(arrived, [0.5, 0.95]) if len(arrived) else [None, None]
    return {
        **channel,
        "sent": len(outcome),
        "received": int(counts[0]),
        "lost": int(counts[1]),
        "in_flight": int(counts[2]),
        "not_arrived": int(counts[NOT_ARRIVED]),
        "bytes": int(size.sum()),
        "mean_ns": float(arrived.mean()) if len(arrived) else None,
        "p50_ns": _number(quantiles[0]),
        "p95_ns": _number(quantiles[1]),
        "max_ns": float(arrived.max()) if len(arrived) else None,
        "typical_ns": _number(quantiles[0]) or usual,
    }


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _histogram(name: str, delay: NDArray[np.float64]) -> dict[str, Any]:
    arrived = delay[np.isfinite(delay)]
    low, high = (float(arrived.min()), float(arrived.max())) if len(arrived) else (0.0, 0.0)
    logarithmic = low > 0 and high / low >= _LOGARITHMIC
    if low == high:
        edges = np.linspace(low - 0.5, high + 0.5, BINS + 1)
    elif logarithmic:
        edges = np.geomspace(low, high, BINS + 1)
        edges[0], edges[-1] = low, high
    else:
        edges = np.linspace(low, high, BINS + 1)
    counts, _ = np.histogram(arrived, edges)
    return {
        "name": name,
        "low_ns": low,
        "high_ns": high,
        "logarithmic": logarithmic,
        "counts": [int(each) for each in counts],
        "total": len(arrived),
    }


def describe_loads(columns: Columns, network: Network) -> list[dict[str, Any]]:
    """Return the sent bytes and the queue of each device, for the page."""
    pairs = sorted(set(zip(columns["link"].tolist(), columns["node"].tolist(), strict=True)))
    interval = sampling_interval(columns["time_ns"])
    found = []
    for link, node in pairs:
        mine = (columns["link"] == link) & (columns["node"] == node)
        own = {name: np.asarray(each)[mine] for name, each in columns.items()}
        order = np.argsort(own["time_ns"], kind="stable")
        found.append(
            _describe_device(network, link, node, {n: e[order] for n, e in own.items()}, interval)
        )
    return found


def _describe_device(
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
    """Return times in nanoseconds, and the rate in bits per second from each time to the next.

    The change of a sample is no older than the interval of samples.
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
