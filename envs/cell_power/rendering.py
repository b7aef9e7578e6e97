# SPDX-License-Identifier: GPL-2.0-only
"""A picture of the cells: a map, the power and load of each, the SINR of each user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from defiance_zoo.environments import AgentView, Renderer
from defiance_zoo.environments.rendering.lettering import write
from defiance_zoo.envs.lte.map_drawing import (
    FAINT,
    SIZE,
    TEXT,
    Network,
    bar,
    colour,
    draw_map,
    read_network,
    sketch_map,
)

_WIDTH, _HEAD, _ROW = 700, 24, 18
_BARS, _LONGEST = SIZE + 160, 130
_SINRS = (-10.0, 40.0)
"""SINR in dB at the start and the end of bars."""


class CellPowerRenderer(Renderer):
    """Draws the map to the left; to the right a bar for each cell, then one for each user."""

    modes = ("ansi", "human", "rgb_array")

    def render(self, mode: str, views: Mapping[str, AgentView], time_ns: int) -> Any:
        """Return text, or a picture of shape (height, 700, 3), uint8."""
        networks = [read_network(v.info) for v in views.values() if "cells" in v.info]
        if mode != "rgb_array":
            return _as_text(networks[-1], time_ns) if networks else ""
        rows = len(networks[-1].cells) + len(networks[-1].users) + 3 if networks else 0
        picture = np.full((max(SIZE, _HEAD + rows * _ROW), _WIDTH, 3), 255, np.uint8)
        if networks:
            draw_map(picture, networks[-1])
            write(picture, _describe(networks[-1], time_ns), 4, 4, TEXT)
            _draw_bars(picture, networks[-1])
        return picture


def _describe(network: Network, time_ns: int) -> str:
    return f"t = {time_ns / 1e9:.2f} s, {sum(network.throughputs):.2f} Mb/s"


def _as_text(network: Network, time_ns: int) -> str:
    lines = [_describe(network, time_ns), *sketch_map(network)]
    for cell, (power, load) in enumerate(zip(network.powers, network.loads, strict=True)):
        sinrs = [
            f"{sinr:.1f}"
            for sinr, serving in zip(network.sinrs, network.serving, strict=True)
            if serving == cell
        ]
        lines.append(f"cell {cell}: {power:.1f} dBm, load {load:.0%}, SINR {', '.join(sinrs)} dB")
    return "\n".join(lines)


def _draw_bars(picture: Any, network: Network) -> None:
    top = _HEAD
    write(picture, "power, load", _BARS, top, TEXT)
    highest = max(*network.powers, 30.0)
    for cell, (power, load) in enumerate(zip(network.powers, network.loads, strict=True)):
        top += _ROW
        write(picture, f"{cell}: {power:.1f} dBm", SIZE + 8, top, TEXT)
        bar(picture, top, _BARS, _LONGEST, FAINT)
        bar(picture, top, _BARS, round(_LONGEST * (power + 40) / (highest + 40)), colour(cell))
        bar(picture, top + 7, _BARS, round(_LONGEST * load), TEXT)
    top += 2 * _ROW
    write(picture, "SINR", _BARS, top, TEXT)
    low, high = _SINRS
    for sinr, cell in zip(network.sinrs, network.serving, strict=True):
        top += _ROW
        share = min(max((sinr - low) / (high - low), 0.0), 1.0)
        write(picture, f"{sinr:.1f} dB", SIZE + 8, top, TEXT)
        bar(picture, top, _BARS, _LONGEST, FAINT)
        bar(picture, top, _BARS, round(_LONGEST * share), colour(cell))
