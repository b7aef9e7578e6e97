# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of payoffs."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from defiance_zoo.population.games.normal_form import Floats

_NUMBERED = 12
"""Maximum number of rows and columns with numbers in cells."""

_NAMED = 30
"""Maximum number of rows or columns that are all named."""

_INCHES = 7.0
"""Maximum width and height of all cells together."""

_DARK = 0.7
"""Strength of a colour above which a cell's number is white."""

_DPI = 100


def draw_heat_map(
    payoffs: Floats, rows: Sequence[str], columns: Sequence[str], title: str, *, center: float = 0
) -> Figure:
    """Return a picture of payoffs of rows against columns; unknown payoffs are grey."""
    width, height = (1.6 + min(_INCHES, 0.55 * max(len(each), 3)) for each in (columns, rows))
    figure = Figure(figsize=(width + 1.2, height + 0.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(title=title, facecolor="0.8")
    reach = float(np.nanmax(np.abs(payoffs - center))) if np.isfinite(payoffs).any() else 0.0
    reach = reach or 1.0
    image = axes.imshow(payoffs, "RdBu", vmin=center - reach, vmax=center + reach)
    for axis, names in ((axes.xaxis, columns), (axes.yaxis, rows)):
        every = range(0, len(names), 1 + (len(names) - 1) // _NAMED)
        axis.set_ticks(every, [names[place] for place in every])
    axes.tick_params("x", rotation=90)
    if max(len(rows), len(columns)) <= _NUMBERED:
        for (row, column), value in np.ndenumerate(payoffs):
            if np.isfinite(value):
                ink = "white" if abs(value - center) > _DARK * reach else "black"
                text = f"{value:.2g}"
                axes.text(column, row, text, ha="center", va="center", fontsize=8, color=ink)
    figure.colorbar(image, ax=axes, label="payoff of the row")
    return figure


def to_png(figure: Figure) -> bytes:
    """Return a picture as a PNG file."""
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=_DPI)
    return picture.getvalue()


def to_pixels(figure: Figure) -> NDArray[np.uint8]:
    """Return the pixels of a picture, shape (height, width, 3)."""
    canvas: Any = FigureCanvasAgg(figure)  # its methods have no types
    canvas.draw()
    return np.asarray(canvas.buffer_rgba(), np.uint8)[..., :3]
