# SPDX-License-Identifier: GPL-2.0-only
"""The environment's observations, computed in Python for senders outside of the simulation.

`agents/flow-features.h` computes the same in the simulation; a test compares the two over an
episode.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from defiance_zoo.envs.tcp_congestion.flow_state import ABSOLUTE, HISTORY, RELATIVE

_INTERVALS, _RECENT = 4, 10
"""Monitor intervals in a history, and in its recent product."""
_LOG, _UNITS = 10.0, 20.0
"""The maximum logarithm of a ratio, and of a number with a unit."""
_OF_INTERVAL = (
    (-_LOG, _LOG),
    (0.0, _LOG),
    (0.0, 1.0),
    (0.0, 10.0),
    (0.0, 10.0),
    (0.0, _UNITS),
    (-_LOG, _LOG),
)
_OF_FLOW = ((-_LOG, _LOG), (-_LOG, _LOG), (0.0, _UNITS), (-_LOG, _UNITS), (0.0, _UNITS))
_BOUNDS = {
    ABSOLUTE: [(0.0, most) for most in (1e6, 1e6, 65_535, 1e6, 1e6, 1e6, 1e6, 1e5, 1e5, 1e5, 1e5)],
    RELATIVE: [(0.0, most) for most in (10.0, 1.0, 10.0, 1.0, 10.0, 10.0)],
    HISTORY: [*_OF_INTERVAL * _INTERVALS, *_OF_FLOW],
}
"""The minimum and the maximum of each number, by the size of the observation."""


@dataclass(frozen=True)
class FlowSample:
    """The measurements of a sender in a monitor interval; its pacing rate is not set."""

    window: float  # at the end, in bytes
    segment: float  # size of a full packet, in bytes
    in_flight: float  # at the end, in bytes
    acked: float  # acknowledged segments
    sent: float  # sent segments, retransmissions included
    again: float  # retransmitted segments
    throughput: float  # acknowledged rate, in bit/s
    rtt: float  # mean or last known round trip time, in seconds; 0 if unknown
    least_rtt: float  # the smallest round trip time so far, in seconds; 0 if unknown
    duration: float  # length of the interval, in seconds
    threshold: float = math.inf  # slow start threshold, in bytes; infinite if not set


Observe = Callable[[FlowSample], Any]
"""Returns an observation, float32, for the sample of each monitor interval, in order."""


def make_observer(size: int) -> Observe:
    """Return the function that computes the observations of a new flow.

    Their size is `ABSOLUTE`, `RELATIVE` or `HISTORY`.
    """
    makers = {ABSOLUTE: lambda: _absolute, RELATIVE: _relative, HISTORY: _history}
    compute, bounds = makers[size](), np.array(_BOUNDS[size]).T

    def observe(sample: FlowSample) -> Any:
        return np.clip(compute(sample), *bounds).astype(np.float32)

    return observe


def _absolute(sample: FlowSample) -> list[float]:
    return [
        sample.threshold / sample.segment,
        sample.window / sample.segment,
        sample.segment,
        sample.acked,
        sample.sent,
        sample.again,
        sample.in_flight / sample.segment,
        1e3 * sample.rtt,
        1e3 * sample.least_rtt,
        sample.throughput / 1e6,
        0.0,
    ]


def _relative() -> Callable[[FlowSample], list[float]]:
    greatest = 1.0

    def compute(sample: FlowSample) -> list[float]:
        nonlocal greatest
        greatest = max(greatest, sample.throughput)
        product = greatest * sample.least_rtt / 8  # in bytes
        return [
            _divide(sample.rtt, sample.least_rtt) - 1,
            sample.throughput / greatest,
            _divide(sample.acked, sample.sent),
            _divide(sample.again, sample.sent),
            _divide(sample.in_flight, product),
            _divide(sample.window, product),
        ]

    return compute


def _history() -> Callable[[FlowSample], list[float]]:
    greatest = since_start = window_before = 0.0
    products: deque[float] = deque(maxlen=_RECENT)
    intervals: deque[list[float]] = deque([[0.0] * len(_OF_INTERVAL)] * _INTERVALS, _INTERVALS)

    def compute(sample: FlowSample) -> list[float]:
        nonlocal greatest, since_start, window_before
        window, rtt, least = sample.window, sample.rtt, sample.least_rtt
        product = sample.throughput * least / 8  # in bytes
        queued = window * max(0.0, 1 - least / rtt) if rtt > 0 else 0.0
        greatest = max(greatest, sample.throughput)
        since_start += sample.duration
        products.append(product)
        intervals.appendleft(
            [
                _log_ratio(product, window),
                _log_ratio(rtt, least),
                _divide(sample.again, sample.sent),
                _divide(sample.acked, sample.sent),
                _divide(sample.in_flight, window),
                math.log2(1 + queued / sample.segment),
                _log_ratio(window, window_before) if window_before > 0 else 0.0,
            ]
        )
        window_before = window
        return [
            *(number for interval in intervals for number in interval),
            _log_ratio(greatest * least / 8, window),
            _log_ratio(max(products), window),
            math.log2(window / sample.segment),
            math.log2(1e3 * least) if least > 0 else -_LOG,
            math.log2(1 + since_start),
        ]

    return compute


def _divide(numerator: float, denominator: float) -> float:
    """Return a ratio, with 0 / 0 = 0."""
    return 0.0 if numerator == 0 else numerator / max(denominator, 1e-9)


def _log_ratio(numerator: float, denominator: float) -> float:
    """Return the logarithm of a ratio of nonnegative numbers; 0 for 0 / 0."""
    if numerator == denominator:
        return 0.0
    if numerator == 0 or denominator == 0:
        return -_LOG if numerator == 0 else _LOG
    return min(max(math.log2(numerator / denominator), -_LOG), _LOG)
