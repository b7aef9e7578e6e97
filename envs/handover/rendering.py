# SPDX-License-Identifier: GPL-2.0-only
"""A picture of the cells: a map with serving cells, and SINR and throughput of each user."""

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
_SINRS = (-10.0, 30.0)
"""SINR in dB at the start and the end of bars."""


class HandoverRenderer(Renderer):
    """Draws the map to the left; to the right SINR, handovers and failures of each user."""

    modes = ("ansi", "human", "rgb_array")

    def render(self, mode: str, views: Mapping[str, AgentView], time_ns: int) -> Any:
        """Return text, or a picture of shape (height, 700, 3), uint8."""
        infos = [view.info for view in views.values() if "cells" in view.info]
        if not infos:
            return np.full((SIZE, _WIDTH, 3), 255, np.uint8) if mode == "rgb_array" else ""
        latest = max(infos, key=lambda info: info.get("sim_time_ns", 0))
        network = read_network(latest)
        rows = _rows(network, latest)
        head = f"t = {time_ns / 1e9:.2f} s, {sum(network.throughputs):.2f} Mb/s"
        if mode != "rgb_array":
            return "\n".join([head, *sketch_map(network), *(f"user {row}" for row in rows)])
        picture = np.full((max(SIZE, _HEAD + (len(rows) + 2) * _ROW), _WIDTH, 3), 255, np.uint8)
        draw_map(picture, network)
        write(picture, head, 4, 4, TEXT)
        _draw_users(picture, network, latest)
        return picture


def _rows(network: Network, info: Mapping[str, Any]) -> list[str]:
    return [
        f"{user}: {f'cell {cell}' if cell >= 0 else 'no cell'}, SINR {network.sinrs[user]:.1f} dB, "
        f"{network.throughputs[user]:.2f} Mb/s, {info['handovers'][user]} handovers, "
        f"{info['failures'][user]} failures"
        for user, cell in enumerate(network.serving)
    ]


def _draw_users(picture: Any, network: Network, info: Mapping[str, Any]) -> None:
    top, (low, high) = _HEAD, _SINRS
    write(picture, "handovers, failures", SIZE + 8, top, TEXT, 1.5)
    write(picture, f"SINR ({low:g} to {high:g} dB)", _BARS, top, TEXT, 1.5)
    for user, cell in enumerate(network.serving):
        top += _ROW
        counts = f"{user}: {info['handovers'][user]}, {info['failures'][user]}"
        share = min(max((network.sinrs[user] - low) / (high - low), 0.0), 1.0)
        write(picture, counts, SIZE + 8, top, TEXT)
        bar(picture, top, _BARS, _LONGEST, FAINT)
        bar(picture, top, _BARS, round(_LONGEST * share), colour(cell))
