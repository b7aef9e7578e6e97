# SPDX-License-Identifier: GPL-2.0-only
"""The video, the quality of experience, and the generated traces: numbers without a network.

The constants are those of Pensieve (Mao, Netravali and Alizadeh 2017).
"""

from __future__ import annotations

import math
import random
from typing import NamedTuple

RATES = (300, 750, 1200, 1850, 2850, 4300)
"""Bitrates in kb/s."""
CHUNK_S = 4.0
"""Seconds of video in a chunk."""
WAIT_S = 0.5
"""A client whose buffer is full waits a multiple of this time."""
SEGMENT = 1448
"""Bytes of a chunk in a packet of 1500 bytes."""
HISTORY = 8
"""Past throughputs and download times in an observation."""

ELEMENTS = (
    *(f"throughput_{age}" for age in reversed(range(HISTORY))),
    *(f"download_time_{age}" for age in reversed(range(HISTORY))),
    *(f"size_{rate}" for rate in RATES),
    "buffer",
    "chunks_left",
    "last_rate",
)
"""Names of the elements of a client's observation."""
HIGHEST = [1e3] * HISTORY + [86400.0] * HISTORY + [3.0] * len(RATES) + [3604.0, 1000.0, 5.0]
"""Bounds of these elements: in Mb/s, s, MB, s, chunks and Mb/s."""


class Measure(NamedTuple):
    """A measure of the quality of experience of a chunk.

    Attributes:
        qualities: Quality of each bitrate.
        stall_price: Price of a second without video.
    """

    qualities: tuple[float, ...]
    stall_price: float

    def rate(self, choice: int, last: int | None, stalled: float) -> float:
        """Return the quality of a chunk, less its stall and the change of quality.

        Args:
            choice: Index of its bitrate.
            last: Index of the previous bitrate; None for the first chunk.
            stalled: Seconds without video.
        """
        quality = self.qualities[choice]
        change = 0.0 if last is None else abs(quality - self.qualities[last])
        return quality - self.stall_price * stalled - change


MEASURES = {
    "linear": Measure(tuple(rate / 1000 for rate in RATES), 4.3),
    "log": Measure(tuple(math.log(rate / RATES[0]) for rate in RATES), 2.66),
    "hd": Measure((1.0, 2.0, 3.0, 12.0, 15.0, 20.0), 8.0),
}
"""Measures by name."""


def make_video(chunks: int) -> list[tuple[int, ...]]:
    """Return the bytes of each chunk at each bitrate, which vary by up to 20 %.

    A shorter video consists of the first chunks of a longer one.
    """
    draw = random.Random(1)
    factors = [draw.uniform(0.8, 1.2) for _ in range(chunks)]
    return [tuple(round(125 * CHUNK_S * rate * each) for rate in RATES) for each in factors]


TRACES = {"training": 1000, "held_out": 100}
"""Number of generated traces in each set."""
TRACE_S = 320
_LOWEST, _HIGHEST, _STATES = 0.2, 4.3, 10  # Mb/s
_OPPORTUNITY = 12_000  # bits delivered by a line of a trace


def make_rates(kind: str, number: int) -> list[float]:
    """Return a generated capacity in Mb/s, a value for each second.

    A Markov chain has ten states with equidistant means from 0.2 to 4.3 Mb/s. Each second, it
    changes its state with probability 1/4, by a geometrically distributed distance. The capacity is
    normally distributed around the mean, with a variance that is drawn uniformly from 0.05 to 0.5
    for the trace, and at least 0.1 Mb/s. Traces have numbers in the sets `training` and `held_out`.
    """
    draw = random.Random(f"{kind} {number}")
    deviation = math.sqrt(draw.uniform(0.05, 0.5))
    state, rates = draw.randrange(_STATES), []
    for _ in range(TRACE_S):
        if draw.random() < 0.25:
            distance = 1
            while draw.random() < 0.5:
                distance += 1
            state += distance if draw.random() < 0.5 else -distance
            state = min(max(state, 0), _STATES - 1)
        mean = _LOWEST + (_HIGHEST - _LOWEST) * state / (_STATES - 1)
        rates.append(max(0.1, draw.gauss(mean, deviation)))
    return rates


def make_trace(rates: list[float], factor: float = 1.0) -> list[int]:
    """Return the lines of a trace in Mahimahi's format, in ms, of rates in Mb/s each second."""
    times, bits = [], 0.0
    for second, rate in enumerate(rates):
        first, bits = bits, bits + 1e6 * rate * factor
        for opportunity in range(math.floor(first / _OPPORTUNITY), int(bits // _OPPORTUNITY)):
            share = (_OPPORTUNITY * (opportunity + 1) - first) / (bits - first)
            times.append(1000 * second + math.ceil(1000 * share))
    return [*times, 1000 * len(rates)] if times[-1:] != [1000 * len(rates)] else times
