# SPDX-License-Identifier: GPL-2.0-only
"""QUIC senders and Linux senders over real paths, beside the simulation's predictions.

    python -m benchmarks.networks.real_paths [--quick] [--only LINK] [--out FOLDER]

Each figure is the median of the repetitions, with their range. A measurement with a large
lag is repeated, and the one with the smallest lag counts. The predictions with jitter show how a
sender's late packets change its throughput and delay. Linux's senders are iperf3 over the same
path; the algorithm of the same name in ns-3's TCP predicts them.
"""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import TypeVar

import numpy as np

from benchmarks.measuring.command import Part, measure_parts
from benchmarks.measuring.timing import Effort, Figures, Results
from benchmarks.networks.linux_tcp import Flows, play_hosts, play_ns3
from defiance_zoo.experiments.real_paths.measurement import (
    Link,
    Measured,
    Transfer,
    find_decider,
    find_gap,
    measure_over_ns3,
    predict,
)

T = TypeVar("T")

LINKS = {
    "3 Mb/s, 10 ms": (3, 10, 10),
    "6 Mb/s, 20 ms": (6, 20, 30),
    "12 Mb/s, 30 ms": (12, 30, 80),
    "1 Mb/s, 60 ms": (1, 60, 11),
}
"""Rate, one-way delay, and packets of the queue: one bandwidth-delay product."""
SENDERS = ("trained", "reno", "cubic")
LINUX = {"reno": "newreno", "cubic": "cubic", "bbr": "bbr"}
"""Linux's algorithms, and the ns-3 algorithms that predict them."""
RANGES = ("measured_mbps", "measured_rtt_ms")
"""Figures with their range."""
JITTERS_MS = (8, 16)
"""Maximum random delays of packets at their sender, in predictions."""
_LEAVES_MS = 10
"""One-way delay of both hosts' links."""
_PACKET, _PAYLOAD = 1500, 1448
"""Bytes of a full IPv4 packet, and of its TCP payload."""
_LARGE_LAG_MS, _ATTEMPTS = 20.0, 2


def compare(sender: str, link: tuple[float, float, int], seconds: float) -> Figures:
    """Measure a sender over a link once, and compare with the simulation."""
    rate, delay, buffer = link
    path = Link(f"{rate}Mbps", f"{delay}ms", buffer)
    timing = {"seconds": seconds, "interval": 0.1}
    measured = _repeat_if_late(
        functools.partial(measure_over_ns3, find_decider(sender), path, max_lag="5s", **timing),
        _lag,
    )
    predicted = predict(find_decider(sender), path, **timing)
    return {
        **_find_figures(measured.transfer, predicted),
        "measured_p95_ms": measured.transfer.rtt_p95,
        "simulated_p95_ms": predicted.rtt_p95,
        "added_ms": max(measured.clocks.least_rtt - 2 * (delay + _LEAVES_MS), 0.0),
        "lag_ms": _lag(measured),
        "late_ms": measured.clocks.late_p99,
        **_predict_with_jitter(sender, path, timing),
    }


def _find_figures(measured: Transfer, predicted: Transfer) -> Figures:
    """Return the figures that all senders have."""
    gap = find_gap(predicted, measured)
    return {
        "measured_mbps": measured.throughput,
        "simulated_mbps": predicted.throughput,
        "mbps_gap": gap["throughput"],
        "measured_rtt_ms": measured.rtt,
        "simulated_rtt_ms": predicted.rtt,
        "rtt_gap": gap["rtt"],
        "measured_lost": measured.lost,
        "simulated_lost": predicted.lost,
    }


def compare_linux(algorithm: str, link: tuple[float, float, int], seconds: float) -> Figures:
    """Measure Linux's TCP over a link once, and compare with ns-3's TCP."""
    rate, delay, buffer = link
    path = Link(f"{rate}Mbps", f"{delay}ms", buffer).parameters

    def play() -> tuple[Flows, float]:
        flows, lags = play_hosts(
            path, 1, max_lag="5s", algorithm=algorithm, flows=1, seconds=seconds, runner=""
        )
        return flows, float(np.percentile(lags, 99))

    (measured,), lag_ms = _repeat_if_late(play, itemgetter(1))
    (predicted,) = play_ns3(LINUX[algorithm], path, 1, 1, seconds)
    real, simulated = (_to_transfer(each, seconds) for each in (measured, predicted))
    return {**_find_figures(real, simulated), "lag_ms": lag_ms}


def _to_transfer(flow: Figures, seconds: float) -> Transfer:
    """Return the transfer of a TCP flow, whose throughput counts payload."""
    packets = flow["mbps"] * 1e6 / 8 / _PAYLOAD * seconds
    lost = flow["retransmissions"] / (packets + flow["retransmissions"])
    return Transfer(flow["mbps"] * _PACKET / _PAYLOAD, flow["rtt_ms"], flow["rtt_ms"], 100 * lost)


def _predict_with_jitter(sender: str, path: Link, timing: dict[str, float]) -> Figures:
    """Return predictions for a sender whose packets are late, as on a busy machine."""
    found: Figures = {}
    for jitter in JITTERS_MS:
        predicted = predict(find_decider(sender), path, jitter=jitter / 1e3, **timing)
        found[f"jitter_{jitter}_mbps"] = predicted.throughput
        found[f"jitter_{jitter}_rtt_ms"] = predicted.rtt
    return found


def _repeat_if_late(measure: Callable[[], T], lag: Callable[[T], float]) -> T:
    """Return the first measurement without a large lag, or the one with the smallest lag."""
    found = []
    for _ in range(_ATTEMPTS):
        found.append(measure())
        if lag(found[-1]) <= _LARGE_LAG_MS:
            break
    return min(found, key=lag)


def _lag(measured: Measured) -> float:
    return measured.clocks.lag_p99


def measure_link(name: str, effort: Effort) -> Iterator[Results]:
    """Yield the figures of each sender over a link."""
    senders: dict[str, tuple[Callable[..., Figures], str]] = {
        **{sender: (compare, sender) for sender in SENDERS},
        **{f"Linux's {algorithm}": (compare_linux, algorithm) for algorithm in LINUX},
    }
    for sender, (measure, argument) in senders.items():
        repetitions = [
            measure(argument, LINKS[name], effort.of(15, 1)) for _ in range(effort.of(3, 1))
        ]
        figures = {
            figure: statistics.median(each[figure] for each in repetitions)
            for figure in repetitions[0]
        }
        for figure in RANGES:
            values = [each[figure] for each in repetitions]
            figures[f"{figure}_low"], figures[f"{figure}_high"] = min(values), max(values)
        yield {f"{name}, {sender}": figures}


PARTS = {
    name: Part(lambda effort, name=name: measure_link(name, effort), f"{name}, .*")
    for name in LINKS
}

if __name__ == "__main__":
    measure_parts(__doc__, "real_paths", PARTS)
