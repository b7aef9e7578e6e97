# SPDX-License-Identifier: GPL-2.0-only
"""A picture of the cell: window and airtime of each station."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from defiance_zoo.environments import AgentView, Renderer
from defiance_zoo.environments.rendering.lettering import Picture, width, write

_WIDTH, _LEFT, _EDGE = 600, 110, 8
_HEAD, _ROW, _LEAST_ROW = 56, 16, 5  # heights in pixels
_MOST_PIXELS = 640  # of all rows
_WINDOW, _AIRTIME, _LAST, _GRID = (30, 90, 200), (220, 120, 0), 1024, (225, 225, 225)
_TEXT, _FAINT = (60, 60, 60), (150, 150, 150)
_HALF = (_WIDTH - _LEFT - 3 * _EDGE) // 2


@dataclass(frozen=True)
class Cell:
    """The drawn series.

    Attributes:
        windows: CWmin of each station in slots; 0 before it joins.
        airtimes: Share of the last interval in which each station transmitted data.
        throughput: Throughput of all stations in Mb/s.
        collisions: Collision rate of the last sample, averaged over agents.
    """

    windows: list[int]
    airtimes: list[float]
    throughput: float
    collisions: float

    @property
    def joined(self) -> int:
        """Number of stations that have joined."""
        return sum(window > 0 for window in self.windows)


def read_cell(views: Mapping[str, AgentView]) -> Cell:
    """Return the cell from infos of one agent for all stations, or of one for each."""
    infos = [view.info for view in views.values() if "throughput" in view.info]
    if len(infos) == 1 and "windows" in infos[0]:
        info = infos[0]
        windows, airtimes = info["windows"].tolist(), info["airtimes"].tolist()
    else:
        windows = [int(info["window"]) for info in infos]
        airtimes = [float(info["airtime"]) for info in infos]
    rates = [float(info["collision_rate"]) for info in infos] or [0.0]
    throughput = sum(float(info["throughput"]) for info in infos)
    return Cell(windows, airtimes, throughput, float(np.mean(rates)))


class WifiContentionRenderer(Renderer):
    """Draws a row for each station: its window to the left, its airtime to the right."""

    modes = ("ansi", "human", "rgb_array")

    def render(self, mode: str, views: Mapping[str, AgentView], time_ns: int) -> Any:
        """Return text, or a picture of shape (height, 600, 3), uint8."""
        cell = read_cell(views)
        if mode != "rgb_array":
            return _as_text(cell, time_ns)
        row = max(_LEAST_ROW, min(_ROW, _MOST_PIXELS // max(len(cell.windows), 1)))
        picture = np.full((_HEAD + row * len(cell.windows) + _EDGE, _WIDTH, 3), 255, np.uint8)
        _draw_head(picture, cell, time_ns)
        for number, (window, airtime) in enumerate(zip(cell.windows, cell.airtimes, strict=True)):
            _draw_station(picture, number, window, airtime, row)
        return picture


def _as_text(cell: Cell, time_ns: int) -> str:
    lines = [f"t = {time_ns / 1e9:.3f} s, {_describe(cell)}"]
    for number, (window, airtime) in enumerate(zip(cell.windows, cell.airtimes, strict=True)):
        state = f"CW {window:4d}" if window else "-------"
        bar = "#" * round(40 * airtime)
        lines.append(f"station {number:3d}: {state}  airtime {airtime:5.1%} {bar}".rstrip())
    return "\n".join(lines)


def _describe(cell: Cell) -> str:
    return f"{cell.joined} stations: {cell.throughput:.1f} Mb/s, collisions {cell.collisions:.2f}"


def _draw_head(picture: Picture, cell: Cell, time_ns: int) -> None:
    write(picture, _describe(cell), _EDGE, _EDGE, _TEXT)
    time = f"{time_ns / 1e9:.2f} s"
    write(picture, time, _WIDTH - _EDGE - width(time), _EDGE, _TEXT)
    write(picture, "window, slots (1 to 1024)", _LEFT, _EDGE + 24, _WINDOW)
    write(picture, "airtime (0 to 1)", _LEFT + _HALF + _EDGE, _EDGE + 24, _AIRTIME)
    for exponent in range(4, 11):  # 16 to 1024 slots
        x = _LEFT + _position(2**exponent)
        picture[_HEAD:, x : x + 1] = _GRID
    total = _LEFT + _HALF + _EDGE
    picture[_HEAD - 6 : _HEAD - 2, total : total + _share(sum(cell.airtimes))] = _FAINT


def _draw_station(picture: Picture, number: int, window: int, airtime: float, row: int) -> None:
    top = _HEAD + number * row
    if row == _ROW:
        write(picture, f"{number}", _EDGE, top, _TEXT if window else _FAINT)
        if window:
            write(picture, f"{window:4d}", _EDGE + 40, top, _WINDOW)
    if window:
        picture[top : top + row - 2, _LEFT : _LEFT + _position(window + 1)] = _WINDOW
    begin = _LEFT + _HALF + _EDGE
    picture[top : top + row - 2, begin : begin + _share(airtime)] = _AIRTIME


def _position(slots: float) -> int:
    """Return the length of a window's bar, by the logarithm of its slots."""
    return max(1, min(_HALF, round(_HALF * math.log2(slots) / math.log2(_LAST))))


def _share(share: float) -> int:
    return max(0, min(_HALF, round(_HALF * share)))
