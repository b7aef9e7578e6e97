# SPDX-License-Identifier: GPL-2.0-only
"""Matplotlib figures as files."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.experiments.workbench.events import EventCallback, NotDrawn, draw_if_possible

_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
"""Okabe and Ito's colours for colour-blind readers, without the pale yellow."""


def line_colors(count: int) -> list[str]:
    """Return a colour for each line; up to 100 lines have different colours."""
    if count <= len(_COLORS):
        return list(_COLORS[:count])
    shades = mpl.colormaps["viridis"].resampled(count + count // 8)  # without its pale end
    return [mpl.colors.to_hex(shades(number)) for number in range(count)]


def save_drawing(draw: Callable[[], Figure], path: Path, report: EventCallback) -> bytes | NotDrawn:
    """Draw a figure, and write it as PNG and SVG; equal figures give equal bytes.

    If drawing fails, neither file exists afterwards.
    """
    files = path.with_suffix(".png"), path.with_suffix(".svg")
    for file in files:
        file.unlink(missing_ok=True)
    return draw_if_possible(path.name, lambda: _save(draw, *files), report)


def _save(draw: Callable[[], Figure], png_file: Path, svg_file: Path) -> bytes:
    with mpl.rc_context({"svg.hashsalt": "defiance-zoo", "font.size": 9}):
        figure = draw()
        png, svg = io.BytesIO(), io.BytesIO()
        figure.savefig(png, format="png", dpi=110, metadata={"Software": None})
        figure.savefig(svg, format="svg", metadata={"Date": None})
    write_whole(png_file, png.getvalue())
    write_whole(svg_file, svg.getvalue())
    return svg.getvalue()
