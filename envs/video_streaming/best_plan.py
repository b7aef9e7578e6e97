# SPDX-License-Identifier: GPL-2.0-only
"""The maximum return of the remaining chunks, exactly, when download times are known.

The return is a piecewise linear function of the buffer: a second of video either saves a second of
one later stall, or nothing. So each piece is flat, or rises by the price of a stall.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.envs.video_streaming import video

_Floats = NDArray[np.float64]
_EQUAL = 1e-12
"""Difference of buffers or returns that only rounding explains."""


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
