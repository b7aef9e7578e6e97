# SPDX-License-Identifier: GPL-2.0-only
"""Windows, round trip times and the queue over time, drawn with NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from defiance_zoo.environments import AgentView, Renderer
from defiance_zoo.environments.rendering.lettering import Picture, width, write
from defiance_zoo.environments.rendering.renderer import Past
from defiance_zoo.envs.tcp_congestion.seen import ABSOLUTE, PER_ACK, RELATIVE

_WIDTH, _PANEL, _HEAD, _EDGE = 600, 120, 28, 8  # in pixels
_PLOT = _PANEL - 24
_TEXT, _FAINT, _GRID, _QUEUE = (60, 60, 60), (130, 130, 130), (228, 228, 228), (90, 90, 90)
_COLORS = (
    (30, 90, 200),
    (220, 120, 0),
    (20, 140, 60),
    (190, 20, 90),
    (120, 80, 200),
    (0, 150, 160),
)
_SPARKS = " .:-=+*#%@"
_SPAN_NS = 10_000_000_000  # of simulated time that is shown

Series = list[tuple[int, float]]
"""Times in ns and values."""


@dataclass
class Curves:
    """What is drawn: a series for each flow, and one of what waits at bottlenecks.

    Attributes:
        windows: In segments; in bandwidth-delay products where observations are relative.
        times: Round trip times in ms, or as multiples of the smallest.
        queue: Packets at all bottlenecks.
        relative: Whether observations are relative.
    """

    windows: dict[str, Series] = field(default_factory=dict)
    times: dict[str, Series] = field(default_factory=dict)
    queue: Series = field(default_factory=list)
    relative: bool = False


def read_curves(views: Mapping[str, AgentView]) -> Curves:
    """Return what agents have observed and been told."""
    curves = Curves()
    for agent, view in views.items():
        for past in view.past:
            if "queue_packets" in past.info:
                curves.queue.append((past.time_ns, float(past.info["queue_packets"])))
            if "bottleneck" not in past.info:
                _read_flows(curves, agent, past, 1 if view.action is None else np.size(view.action))
    curves.queue.sort()
    return curves


def _read_flows(curves: Curves, agent: str, past: Past, actions: int) -> None:
    seen = past.observation
    if seen.dtype == np.float64:
        size = PER_ACK
    else:
        size = RELATIVE if len(seen) in (RELATIVE, RELATIVE * actions) else ABSOLUTE
    for number, flow in enumerate(seen.reshape(-1, size)):
        name = agent if len(seen) == size else f"{agent}, flow {number}"
        if size == PER_ACK:
            window, time = flow[3] / max(flow[4], 1), flow[7] / 1e3
        elif size == RELATIVE:
            window, time = flow[5], 1 + flow[0]
            curves.relative = True
        else:
            window, time = flow[1], flow[7]
        curves.windows.setdefault(name, []).append((past.time_ns, float(window)))
        curves.times.setdefault(name, []).append((past.time_ns, float(time)))


class TcpCongestionRenderer(Renderer):
    """Draws windows, round trip times and the queue of the last ten seconds."""

    modes = ("ansi", "human", "rgb_array")
    remembers = 400

    def render(self, mode: str, views: Mapping[str, AgentView], time_ns: int) -> Any:
        """Return text, or a picture of shape (388, 600, 3), uint8."""
        curves = read_curves(views)
        if mode != "rgb_array":
            return _as_text(curves, time_ns)
        picture = np.full((_HEAD + 3 * _PANEL, _WIDTH, 3), 255, np.uint8)
        write(picture, f"t = {time_ns / 1e9:.2f} s", _EDGE, _EDGE, _TEXT)
        _write_names(picture, list(curves.windows))
        unit = ("window, bdp", "rtt / min") if curves.relative else ("window, segments", "rtt, ms")
        colored = [dict(zip(_colors(each), each.values(), strict=True)) for each in _both(curves)]
        _draw_panel(picture, 0, unit[0], colored[0], time_ns)
        _draw_panel(picture, 1, unit[1], colored[1], time_ns)
        _draw_panel(picture, 2, "queue, packets", {(0, _QUEUE): curves.queue}, time_ns)
        return picture


def _both(curves: Curves) -> tuple[dict[str, Series], dict[str, Series]]:
    return curves.windows, curves.times


def _colors(names: Mapping[str, Series]) -> list[tuple[int, tuple[int, int, int]]]:
    return [(number, _COLORS[number % len(_COLORS)]) for number in range(len(names))]


def _as_text(curves: Curves, time_ns: int) -> str:
    lines = [f"t = {time_ns / 1e9:.3f} s"]
    units = (" bdp", "x") if curves.relative else (" segments", " ms")
    for name, windows in curves.windows.items():
        times = curves.times[name]
        lines.append(f"{name}: window {windows[-1][1]:.1f}{units[0]} |{_spark(windows)}|")
        lines.append(f"{' ' * len(name)}  rtt {times[-1][1]:.1f}{units[1]} |{_spark(times)}|")
    if curves.queue:
        lines.append(f"queue: {curves.queue[-1][1]:.0f} packets |{_spark(curves.queue)}|")
    return "\n".join(lines)


def _spark(series: Series) -> str:
    """Return the last values as a line of characters, the heaviest for the greatest."""
    values = [value for _, value in series[-48:]]
    most = max(max(values), 1e-9)
    return "".join(_SPARKS[round((len(_SPARKS) - 1) * value / most)] for value in values)


def _write_names(picture: Picture, names: Sequence[str]) -> None:
    x = _WIDTH - _EDGE
    for number, name in reversed(list(enumerate(names[: len(_COLORS)]))):
        x -= width(name, 1)
        write(picture, name, x, _EDGE + 4, _COLORS[number], 1)
        x -= 2 * _EDGE


def _draw_panel(
    picture: Picture,
    number: int,
    title: str,
    curves: Mapping[tuple[int, tuple[int, int, int]], Series],
    time_ns: int,
) -> None:
    """Draw series of the last seconds into a part of the picture, from 0 to the greatest value."""
    top = _HEAD + number * _PANEL
    start = max(0, time_ns - _SPAN_NS)
    shown = {key: [each for each in one if each[0] >= start] for key, one in curves.items()}
    most = max([value for series in shown.values() for _, value in series], default=0.0)
    for share in (0.0, 0.5, 1.0):
        picture[top + 20 + round(share * (_PLOT - 1))] = _GRID
    write(picture, f"{title} (0 to {most:.3g})", _EDGE, top, _FAINT)
    for (_, color), series in shown.items():
        if series:
            _draw_curve(picture[top + 20 : top + 20 + _PLOT], series, start, most, color)


def _draw_curve(
    plot: Picture, series: Series, start: int, most: float, color: tuple[int, int, int]
) -> None:
    """Draw a step curve: each value holds until the next one."""
    times, values = np.array(series).T
    columns = np.arange(_WIDTH)
    at = start + columns / _WIDTH * _SPAN_NS
    known = np.searchsorted(times, at, side="right") - 1
    inside = (known >= 0) & (at <= times[-1] + _SPAN_NS / _WIDTH)
    heights = np.clip(values[np.maximum(known, 0)] / max(most, 1e-9), 0, 1)
    rows = np.round((1 - heights) * (_PLOT - 1)).astype(int)
    previous = np.concatenate([rows[:1], rows[:-1]])
    for column in columns[inside]:
        low, high = sorted((rows[column], previous[column] if inside[column - 1] else rows[column]))
        plot[low : high + 2, column] = color
