# SPDX-License-Identifier: GPL-2.0-only
"""Windows, round trip times and the queue over time, drawn with NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from defiance_zoo.environments import AgentView, Renderer
from defiance_zoo.environments.rendering.panels import (
    Series,
    color_series,
    draw_panels,
    spark,
)
from defiance_zoo.environments.rendering.renderer import Past
from defiance_zoo.envs.tcp_congestion.flow_state import ABSOLUTE, PER_ACK, RELATIVE

_QUEUE = (90, 90, 90)


@dataclass
class Curves:
    """The drawn series: one for each flow, and the queue at bottlenecks."""

    windows: dict[str, Series] = field(default_factory=dict)  # in segments, or in products
    times: dict[str, Series] = field(default_factory=dict)  # in ms, or as multiples of the smallest
    queue: Series = field(default_factory=list)  # packets at all bottlenecks
    relative: bool = False  # whether observations are relative


def read_curves(views: Mapping[str, AgentView]) -> Curves:
    """Return the series in the observations and infos of agents."""
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
        unit = ("window, bdp", "rtt / min") if curves.relative else ("window, segments", "rtt, ms")
        panels = [
            (unit[0], color_series(curves.windows)),
            (unit[1], color_series(curves.times)),
            ("queue, packets", {(0, _QUEUE): curves.queue}),
        ]
        return draw_panels(list(curves.windows), panels, time_ns)


def _as_text(curves: Curves, time_ns: int) -> str:
    lines = [f"t = {time_ns / 1e9:.3f} s"]
    units = (" bdp", "x") if curves.relative else (" segments", " ms")
    for name, windows in curves.windows.items():
        times = curves.times[name]
        lines.append(f"{name}: window {windows[-1][1]:.1f}{units[0]} |{spark(windows)}|")
        lines.append(f"{' ' * len(name)}  rtt {times[-1][1]:.1f}{units[1]} |{spark(times)}|")
    if curves.queue:
        lines.append(f"queue: {curves.queue[-1][1]:.0f} packets |{spark(curves.queue)}|")
    return "\n".join(lines)
