# SPDX-License-Identifier: GPL-2.0-only
"""QUIC senders over real paths, beside the prediction of the simulation: policies and algorithms.

    python -m benchmarks.networks.real_paths [--quick] [--only LINK] [--out FOLDER]

Each figure is the median of the repetitions, with the range of them. A measurement with a large
lag is repeated, and the one with the smallest lag counts. The predictions with jitter show what
late packets of the sender do to its throughput and delay.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from benchmarks.measuring.command import Part, measure_parts
from benchmarks.measuring.timing import Effort, Figures, Results
from defiance_zoo.experiments.real_paths.deciders import find_decider
from defiance_zoo.experiments.real_paths.measurement import (
    Link,
    Measured,
    find_gap,
    measure_over_ns3,
    predict,
)

LINKS = {
    "3 Mb/s, 10 ms": (3, 10, 10),
    "6 Mb/s, 20 ms": (6, 20, 30),
    "12 Mb/s, 30 ms": (12, 30, 80),
    "1 Mb/s, 60 ms": (1, 60, 11),
}
"""Rate, one-way delay, and packets of the queue: one bandwidth-delay product."""
SENDERS = ("trained", "reno", "cubic")
RANGES = ("measured_mbps", "measured_rtt_ms")
"""The figures whose smallest and greatest value are kept."""
JITTERS_MS = (8, 16)
"""The longest random delays of packets at their sender, in predictions."""
_LEAVES_MS = 10
"""One-way delay of the links of both hosts."""
_LARGE_LAG_MS, _ATTEMPTS = 20.0, 2


def compare(sender: str, link: tuple[float, float, int], seconds: float) -> Figures:
    """Measure a sender over a link once, and compare with the simulation."""
    rate, delay, buffer = link
    path = Link(f"{rate}Mbps", f"{delay}ms", buffer)
    timing = {"seconds": seconds, "interval": 0.1}
    measured = _measure(sender, path, timing)
    predicted = predict(find_decider(sender), path, **timing)
    real, gap = measured.transfer, find_gap(predicted, measured.transfer)
    return {
        "measured_mbps": real.throughput,
        "simulated_mbps": predicted.throughput,
        "mbps_gap": gap["throughput"],
        "measured_rtt_ms": real.rtt,
        "simulated_rtt_ms": predicted.rtt,
        "rtt_gap": gap["rtt"],
        "measured_p95_ms": real.rtt_p95,
        "simulated_p95_ms": predicted.rtt_p95,
        "measured_lost": real.lost,
        "simulated_lost": predicted.lost,
        "added_ms": max(measured.clocks.least_rtt - 2 * (delay + _LEAVES_MS), 0.0),
        "lag_ms": _lag(measured),
        "late_ms": measured.clocks.late_p99,
        **_predict_with_jitter(sender, path, timing),
    }


def _predict_with_jitter(sender: str, path: Link, timing: dict[str, float]) -> Figures:
    """Return predictions for a sender whose packets are late, as on a machine with other work."""
    found: Figures = {}
    for jitter in JITTERS_MS:
        predicted = predict(find_decider(sender), path, jitter=jitter / 1e3, **timing)
        found[f"jitter_{jitter}_mbps"] = predicted.throughput
        found[f"jitter_{jitter}_rtt_ms"] = predicted.rtt
    return found


def _measure(sender: str, path: Link, timing: dict[str, float]) -> Measured:
    """Return the first measurement whose lag is not large, or the one with the smallest lag."""
    found = []
    for _ in range(_ATTEMPTS):
        found.append(measure_over_ns3(find_decider(sender), path, max_lag="5s", **timing))
        if _lag(found[-1]) <= _LARGE_LAG_MS:
            break
    return min(found, key=_lag)


def _lag(measured: Measured) -> float:
    return measured.clocks.lag_p99 or 0.0


def measure_link(name: str, effort: Effort) -> Iterator[Results]:
    """Yield the figures of each sender over a link."""
    for sender in SENDERS:
        repetitions = [
            compare(sender, LINKS[name], effort.of(15, 1)) for _ in range(effort.of(3, 1))
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
