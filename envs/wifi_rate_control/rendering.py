# SPDX-License-Identifier: GPL-2.0-only
"""Rates, throughput and distance of stations over time, drawn with NumPy."""

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


@dataclass
class Curves:
    """The drawn series by the name of the station, and of its agent.

    Attributes:
        rates: Data rate of the last transmission, in Mb/s.
        ratios: Signal-to-noise ratio of the last acknowledgement, in dB.
        distances: Distance to the access point, in m.
    """

    rates: dict[str, Series] = field(default_factory=dict)
    ratios: dict[str, Series] = field(default_factory=dict)
    distances: dict[str, Series] = field(default_factory=dict)


def read_curves(views: Mapping[str, AgentView]) -> Curves:
    """Return the series in the infos of agents."""
    curves = Curves()
    for agent, view in views.items():
        for past in view.past:
            if "data_rate" in past.info:
                _read_stations(curves, agent, past)
    return curves


def _read_stations(curves: Curves, agent: str, past: Past) -> None:
    measurements = [np.ravel(past.info[key]) for key in ("data_rate", "snr", "distance")]
    for number, values in enumerate(zip(*measurements, strict=True)):
        name = agent if len(measurements[0]) == 1 else f"station {number}"
        series = (curves.rates, curves.ratios, curves.distances)
        for each, value in zip(series, values, strict=True):
            each.setdefault(name, []).append((past.time_ns, float(value)))


class WifiRateControlRenderer(Renderer):
    """Draws data rates, signal-to-noise ratios and distances of the last ten seconds."""

    modes = ("ansi", "human", "rgb_array")
    remembers = 400

    def render(self, mode: str, views: Mapping[str, AgentView], time_ns: int) -> Any:
        """Return text, or a picture of shape (388, 600, 3), uint8."""
        curves = read_curves(views)
        if mode != "rgb_array":
            return _as_text(curves, time_ns)
        panels = [
            ("data rate, Mb/s", color_series(curves.rates)),
            ("SNR of acknowledgements, dB", color_series(curves.ratios)),
            ("distance, m", color_series(curves.distances)),
        ]
        return draw_panels(list(curves.rates), panels, time_ns)


def _as_text(curves: Curves, time_ns: int) -> str:
    lines = [f"t = {time_ns / 1e9:.3f} s"]
    for name, rates in curves.rates.items():
        lines.append(
            f"{name}: {rates[-1][1]:.1f} Mb/s |{spark(rates)}| "
            f"SNR {curves.ratios[name][-1][1]:.1f} dB, {curves.distances[name][-1][1]:.1f} m"
        )
    return "\n".join(lines)
