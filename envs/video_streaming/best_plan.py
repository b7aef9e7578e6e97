# SPDX-License-Identifier: GPL-2.0-only
"""The maximum return of the remaining chunks, when download times or the capacity are known.

With a constant capacity, `plan()` is exact: the return is a piecewise linear function of the
buffer, as a second of video either saves a second of one later stall, or nothing. So each piece is
flat, or rises by the price of a stall. With a capacity that varies, download times also depend on
the start, and `plan_over_trace()` joins similar states.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.envs.video_streaming import video

_Floats = NDArray[np.float64]
_EQUAL = 1e-12
"""Difference of buffers or returns that only rounding explains."""
_GRAIN_S = 1.0
"""Times and buffers that round to the same multiples of it are one state of a plan."""
_BEAM = 1000
"""States that a plan keeps for each chunk."""


class Return(NamedTuple):
    """A return as a function of the buffer, from 0 (excluded) to a limit.

    Attributes:
        starts: Buffer at which each piece begins; a piece includes its end, and not its start.
        values: Return just after the start of each piece.
        slopes: Slope of each piece.
    """

    starts: _Floats
    values: _Floats
    slopes: _Floats

    def at(self, buffer: float) -> float:
        """Return the value for a buffer."""
        piece = int(np.searchsorted(self.starts, buffer - _EQUAL)) - 1
        value = self.values[piece] + self.slopes[piece] * (buffer - self.starts[piece])
        return float(value)

    def after(self, buffers: _Floats) -> tuple[_Floats, _Floats]:
        """Return values and slopes just after some buffers."""
        piece = np.searchsorted(self.starts, buffers + _EQUAL) - 1
        slopes = self.slopes[piece]
        return self.values[piece] + slopes * (buffers - self.starts[piece]), slopes

    def part(self, low: float, high: float, shift: float) -> Return:
        """Return the pieces from `low` (excluded) to `high`, moved by a buffer."""
        inner = self.starts[(self.starts > low + _EQUAL) & (self.starts < high - _EQUAL)]
        starts = np.concatenate([[low], inner])
        return Return(starts + shift, *self.after(starts))


def plan(times: _Floats, measure: video.Measure, limit: float) -> list[list[Return]]:
    """Return the maximum return from each chunk on, for each last bitrate.

    `times`: download time of each chunk in s, shape (chunks, bitrates). `limit`: seconds of video
    above which a client waits. The results are returns of the buffer before each chunk and after
    the last one, without the waiting time that precedes the chunk.
    """
    qualities = np.array(measure.qualities)
    nothing = Return(np.zeros(1), np.zeros(1), np.zeros(1))
    plans = [[nothing] * len(qualities)]
    for row in times[::-1]:
        choices = [
            _choose(choice, time, later, measure, limit)
            for choice, (time, later) in enumerate(zip(row, plans[-1], strict=True))
        ]
        starts = np.unique(np.concatenate([each.starts for each in choices]))
        starts = starts[np.diff(starts, prepend=-1) > _EQUAL]
        values, slopes = np.stack([each.after(starts) for each in choices], axis=1)
        ends = np.append(starts[1:], limit)
        changes = abs(np.subtract.outer(qualities, qualities))
        plans.append(
            [
                _maximum(starts, ends, values - prices[:, None], slopes, measure.stall_price)
                for prices in changes
            ]
        )
    return plans[::-1]


def weigh(
    buffer: float, times: _Floats, later: list[Return], measure: video.Measure, limit: float
) -> _Floats:
    """Return the return of each bitrate from a chunk on, without the price of its change.

    `buffer`: seconds of video before the chunk. `times`: its download time in s, for each bitrate.
    `later`: returns after the chunk, from `plan()`.
    """
    earned = []
    for quality, time, each in zip(measure.qualities, times, later, strict=True):
        full = max(buffer - time, 0.0) + video.CHUNK_S
        full -= video.WAIT_S * max(np.ceil((full - limit - _EQUAL) / video.WAIT_S), 0.0)
        stall = max(time - buffer, 0.0)
        earned.append(quality - measure.stall_price * stall + each.at(full))
    return np.array(earned)


class Deliveries(NamedTuple):
    """The times at which a bottleneck delivers segments, which repeat after a period.

    Attributes:
        times: In s, ascending, shape (segments,).
        period: In s.
    """

    times: _Floats
    period: float

    def after(self, starts: _Floats, segments: NDArray[np.int64]) -> _Floats:
        """Return when the last of some segments is delivered, if none is before its start."""
        rounds, within = np.divmod(starts, self.period)
        index = np.searchsorted(self.times, within) + segments - 1
        further, index = np.divmod(index, len(self.times))
        arrived: _Floats = (rounds + further) * self.period + self.times[index]
        return arrived


class Situation(NamedTuple):
    """A client before a decision: time and buffer in s, and its last bitrate, if it has one."""

    time: float
    buffer: float
    last: int | None


def plan_over_trace(
    now: Situation,
    sizes: NDArray[Any],
    link: Deliveries,
    delay: float,
    measure: video.Measure,
    limit: float,
) -> int:
    """Return the first bitrate of the best plan until the end of the video.

    A beam search over time, buffer and last bitrate joins states that agree to `_GRAIN_S`, and
    keeps the `_BEAM` states that have earned the most, where video in the buffer counts as half of
    the best quality. A chunk's segments use each delivery from the arrival of its request on.

    Args:
        now: The situation of the decision.
        sizes: Bytes of the remaining chunks at each bitrate, shape (chunks, bitrates).
        link: Deliveries of the bottleneck.
        delay: One-way delay in s.
        measure: Measure of the quality.
        limit: Seconds of video above which a client waits.
    """
    qualities = np.array(measure.qualities)
    count = len(qualities)
    first = -1 if now.last is None else now.last
    states: tuple[NDArray[Any], ...] = tuple(
        np.array([each]) for each in (now.time, now.buffer, 0.0, first, first)
    )
    for number, row in enumerate(np.ceil(sizes / video.SEGMENT).astype(np.int64)):
        choices = np.tile(np.arange(count), len(states[0]))
        times, buffers, earned, lasts, firsts = (np.repeat(each, count) for each in states)
        arrived = link.after(times + delay, row[choices]) + delay
        took, changes = arrived - times, abs(qualities[choices] - qualities[lasts])
        stalls = np.maximum(took - buffers, 0)
        earned += qualities[choices] - measure.stall_price * stalls - changes * (lasts >= 0)
        buffers = np.maximum(buffers - took, 0) + video.CHUNK_S
        waits = video.WAIT_S * np.ceil(np.maximum(buffers - limit, 0) / video.WAIT_S)
        buffers -= waits
        worth = earned + buffers / video.CHUNK_S * qualities.max() / 2
        order = np.argsort(-worth, kind="stable")
        grid = np.rint(np.stack([arrived + waits, buffers]) / _GRAIN_S).astype(np.int64)
        key = (grid[0] << 32) + (grid[1] << 8) + choices
        kept = order[np.sort(np.unique(key[order], return_index=True)[1])[:_BEAM]]
        firsts = firsts if number else choices
        after = arrived + waits, buffers, earned, choices, firsts
        states = tuple(each[kept] for each in after)
    _, _, earned, _, firsts = states
    return int(firsts[earned.argmax()])


def _choose(
    choice: int, time: float, later: Return, measure: video.Measure, limit: float
) -> Return:
    """Return the return of a bitrate from a chunk on, without the price of its change."""
    price, shift = measure.stall_price, time - video.CHUNK_S
    stalled = np.array([later.at(video.CHUNK_S) - price * time])
    parts = [Return(np.zeros(1), stalled, np.array([price]))]
    if limit > video.CHUNK_S:
        parts.append(later.part(video.CHUNK_S, limit, shift))
    for wait in range(1, round(video.CHUNK_S / video.WAIT_S) + 1):
        parts.append(later.part(limit - video.WAIT_S, limit, shift + wait * video.WAIT_S))
    whole = Return(*map(np.concatenate, zip(*parts, strict=True)))
    inside = whole.starts < limit - _EQUAL
    return Return(
        whole.starts[inside],
        whole.values[inside] + measure.qualities[choice],
        whole.slopes[inside],
    )


def _maximum(
    starts: _Floats, ends: _Floats, values: _Floats, slopes: _Floats, slope: float
) -> Return:
    """Return the maximum of functions that are linear between common starts and ends.

    `values` after the starts, and `slopes`, 0 or `slope`, have the shape (functions, intervals).
    """
    flat = np.where(slopes == 0, values, -np.inf).max(axis=0)
    rising = np.where(slopes > 0, values, -np.inf).max(axis=0)
    crossing = starts + (flat - rising) / slope  # the rising function is greater from there on
    rises = crossing < starts + _EQUAL
    crosses = ~rises & (crossing < ends - _EQUAL)
    pieces = [
        (starts, crossing[crosses]),
        (np.where(rises, rising, flat), flat[crosses]),
        (np.where(rises, slope, 0.0), np.full(crosses.sum(), slope)),
    ]
    order = np.argsort(np.concatenate(pieces[0]), kind="stable")
    found = Return(*(np.concatenate(each)[order] for each in pieces))
    reached = found.values[:-1] + found.slopes[:-1] * np.diff(found.starts)
    continues = (np.diff(found.slopes) == 0) & (abs(found.values[1:] - reached) < _EQUAL)
    kept = np.append(True, ~continues)
    return Return(*(each[kept] for each in found))
