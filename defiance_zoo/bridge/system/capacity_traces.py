# SPDX-License-Identifier: GPL-2.0-only
"""Capacity traces in the two common formats: Mahimahi's, and two columns as Pensieve's."""

from __future__ import annotations

import math
from pathlib import Path

from defiance_zoo.bridge.system.reading import read_bytes

_OPPORTUNITY_BITS = 12_000
_MOST_BYTES = 2**26
_MOST_LINES = 10**7
_LAST_MS = 2**32 - 1
"""The last possible time, which `CapacityTrace` in C++ reads, too."""


def read_capacity_trace(path: Path | str) -> list[int]:
    """Return a trace in Mahimahi's format: times in ms at which 1500 bytes may be delivered.

    Args:
        path: A file in Mahimahi's format, with a time in each line; or with two columns, time in s
            and capacity in Mb/s, which holds since the time in the line before.
    """
    lines = read_bytes(Path(path), _MOST_BYTES).decode("ascii", "replace").splitlines()
    numbers: list[int] = []
    values: list[list[float]] = []
    for number, line in enumerate(lines, 1):
        if row := line.split():
            values.append(_read_row(number, row, len(values[0] if values else row)))
            numbers.append(number)
    if values and len(values[0]) == 2:
        return _follow(numbers, values)
    times = [int(time) for (time,) in values]
    for number, earlier, later in zip(numbers[1:], times, times[1:], strict=False):
        if later < earlier:
            raise ValueError(f"goes back from {earlier} to {later} ms in line {number}")
    if not times or times[-1] == 0:
        raise ValueError("must end above 0 ms, where it repeats")
    return times


def _read_row(number: int, row: list[str], columns: int) -> list[float]:
    try:
        values = [float(each) for each in row]
        usable = all(math.isfinite(each) and each >= 0 for each in values)
        is_time = columns == 2 or (row[0].isdecimal() and values[0] <= _LAST_MS)
        if usable and is_time and len(row) == columns <= 2 and "_" not in "".join(row):
            return values
    except ValueError:
        pass
    raise ValueError(
        f"has {' '.join(row)[:60]!r} in line {number}; each line must be a whole number of "
        "milliseconds, or each line a time in s and a capacity in Mb/s"
    )


def _follow(numbers: list[int], rows: list[list[float]]) -> list[int]:
    """Return the times of opportunities for capacities that hold between times."""
    start, bits = rows[0][0], 0.0
    times: list[int] = []
    for number, (before, _), (until, rate) in zip(numbers[1:], rows, rows[1:], strict=False):
        if until <= before:
            raise ValueError(f"has {until:g} s after {before:g} s in line {number}")
        first, bits = bits, bits + 1e6 * rate * (until - before)
        if bits > _MOST_LINES * _OPPORTUNITY_BITS:
            raise ValueError(f"delivers more than {_MOST_LINES} packets up to line {number}")
        for opportunity in range(int(first // _OPPORTUNITY_BITS), int(bits // _OPPORTUNITY_BITS)):
            share = (_OPPORTUNITY_BITS * (opportunity + 1) - first) / (bits - first)
            times.append(math.ceil(1000 * (before - start + share * (until - before)) - 1e-6))
    end = round(1000 * (rows[-1][0] - start))
    if end > _LAST_MS:
        raise ValueError(f"ends after {_LAST_MS} ms")
    if end <= 0:
        raise ValueError("has only one time: a capacity holds between two times")
    return times if times[-1:] == [end] else [*times, max([end, *times[-1:]])]
