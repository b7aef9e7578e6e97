# SPDX-License-Identifier: GPL-2.0-only
"""Bitrates, buffers and throughputs over time, drawn with NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from defiance_zoo.environments import AgentView, Renderer
from defiance_zoo.environments.rendering.panels import Series, color_series, draw_panels, spark
from defiance_zoo.envs.video_streaming.video import ELEMENTS, HISTORY

_SHOWN = {"bitrate, Mb/s": -1, "buffer, s": -3, "throughput, Mb/s": HISTORY - 1}
"""Indices in a client's observation."""
_SPAN_S = 100


def read_curves(views: Mapping[str, AgentView]) -> dict[str, dict[str, Series]]:
    """Return the series of each client, by quantity and client's name."""
    curves: dict[str, dict[str, Series]] = {title: {} for title in _SHOWN}
    for agent, view in views.items():
        for past in view.past:
            rows = np.reshape(past.observation, (-1, len(ELEMENTS)))
            for number, row in enumerate(rows):
                name = agent if len(rows) == 1 else f"client {number}"
                for title, place in _SHOWN.items():
                    curves[title].setdefault(name, []).append((past.time_ns, float(row[place])))
    return curves


class VideoStreamingRenderer(Renderer):
    """Draws bitrates, buffers and throughputs of the last hundred seconds."""

    modes = ("ansi", "human", "rgb_array")
    remembers = 400

    def render(self, mode: str, views: Mapping[str, AgentView], time_ns: int) -> Any:
        """Return text, or a picture of shape (388, 600, 3), uint8."""
        curves = read_curves(views)
        if mode == "rgb_array":
            panels = [(title, color_series(series)) for title, series in curves.items()]
            return draw_panels(list(curves["buffer, s"]), panels, time_ns, _SPAN_S)
        lines = [f"t = {time_ns / 1e9:.3f} s"]
        for name in curves["buffer, s"]:
            for title, series in curves.items():
                last = series[name][-1][1]
                lines.append(f"{name}: {title} {last:.2f} |{spark(series[name])}|")
        return "\n".join(lines)
