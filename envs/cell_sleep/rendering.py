# SPDX-License-Identifier: GPL-2.0-only
"""A picture of the cells: a map, and the load and the consumption of each, drawn with NumPy."""

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
    bar,
    colour,
    draw_map,
    read_network,
    sketch_map,
)

_WIDTH, _HEAD, _ROW = 700, 24, 18
_BARS, _LONGEST = SIZE + 160, 130


class CellSleepRenderer(Renderer):
    """Draws the map to the left; to the right the load and the consumption of each cell."""

    modes = ("ansi", "human", "rgb_array")

    def render(self, mode: str, views: Mapping[str, AgentView], time_ns: int) -> Any:
        """Return text, or a picture of shape (400, 700, 3), uint8."""
        infos = [view.info for view in views.values() if "cells" in view.info]
        if mode != "rgb_array":
            return _as_text(infos[-1]) if infos else ""
        picture = np.full((SIZE, _WIDTH, 3), 255, np.uint8)
        if infos:
            network = read_network(infos[-1])
            draw_map(picture, network)
            write(picture, _summarize(infos[-1]), 4, 4, TEXT)
            for cell, words in enumerate(_describe(infos[-1])):
                top = _HEAD + 2 * _ROW * cell
                write(picture, words, SIZE + 8, top, TEXT)
                write(picture, "load", SIZE + 8, top + _ROW, TEXT)
                bar(picture, top + _ROW, _BARS, _LONGEST, FAINT)
                length = round(_LONGEST * network.loads[cell])
                bar(picture, top + _ROW, _BARS, length, colour(cell))
        return picture


def _summarize(info: Mapping[str, Any]) -> str:
    hour = float(info["hour"])
    return (
        f"{int(hour):02d}:{int(hour % 1 * 60):02d}, served {float(info['served']):.2f} of "
        f"{float(info['offered']):.2f}, {sum(info['consumed']):.0f} W"
    )


def _describe(info: Mapping[str, Any]) -> list[str]:
    """Return a line for each cell."""
    return [
        f"cell {cell}: {'awake' if awake else 'asleep'}, {watts:.0f} W"
        for cell, (awake, watts) in enumerate(zip(info["awake"], info["consumed"], strict=True))
    ]


def _as_text(info: Mapping[str, Any]) -> str:
    network = read_network(info)
    cells = [
        f"{words}, load {load:.0%}"
        for words, load in zip(_describe(info), network.loads, strict=True)
    ]
    return "\n".join([_summarize(info), *sketch_map(network), *cells])
