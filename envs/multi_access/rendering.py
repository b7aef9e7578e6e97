# SPDX-License-Identifier: GPL-2.0-only
"""Shares, throughputs and delays over time, drawn with NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from defiance_zoo.environments import AgentView, Renderer
from defiance_zoo.environments.rendering.panels import Series, color_series, draw_panels, spark
from defiance_zoo.envs.multi_access.paths import ELEMENTS

_SHOWN = {
    "share of packets over Wi-Fi": ("share", 1.0),
    "delivered, Mb/s": ("delivered", 1.0),
    "Wi-Fi, Mb/s": ("wifi_throughput", 1.0),
    "LTE, Mb/s": ("lte_throughput", 1.0),
    "delay, ms": ("delay", 1000.0),
}
"""Element of a user's observation, and its factor."""


def read_curves(views: Mapping[str, AgentView]) -> dict[str, dict[str, Series]]:
    """Return the series of each user, by quantity and user's name."""
    curves: dict[str, dict[str, Series]] = {title: {} for title in _SHOWN}
    for agent, view in views.items():
        for past in view.past:
            rows = np.reshape(past.observation, (-1, len(ELEMENTS)))
            for number, row in enumerate(rows):
                name = agent if len(rows) == 1 else f"user {number}"
                for title, (element, factor) in _SHOWN.items():
                    value = factor * float(row[ELEMENTS.index(element)])
                    curves[title].setdefault(name, []).append((past.time_ns, value))
    return curves


class MultiAccessRenderer(Renderer):
    """Draws shares, throughputs and delays of the last ten seconds."""

    modes = ("ansi", "human", "rgb_array")
    remembers = 200

    def render(self, mode: str, views: Mapping[str, AgentView], time_ns: int) -> Any:
        """Return text, or a picture 600 pixels wide, uint8."""
        curves = read_curves(views)
        names = list(curves["delay, ms"])
        if mode == "rgb_array":
            panels = [(title, color_series(series)) for title, series in curves.items()]
            return draw_panels(names, panels, time_ns)
        lines = [f"t = {time_ns / 1e9:.3f} s"]
        for name in names:
            for title, series in curves.items():
                last = series[name][-1][1]
                lines.append(f"{name}: {title} {last:.2f} |{spark(series[name])}|")
        return "\n".join(lines)
