# SPDX-License-Identifier: GPL-2.0-only
"""Series over simulated time: as panels of a picture, and as lines of characters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from defiance_zoo.environments.rendering.lettering import Picture, width, write
from defiance_zoo.environments.rendering.renderer import AgentView, Past, Renderer

PANEL = 120
"""Height of a panel in pixels."""

COLORS = (
    (30, 90, 200),
    (220, 120, 0),
    (20, 140, 60),
    (190, 20, 90),
    (120, 80, 200),
    (0, 150, 160),
)
"""Colors of series, in their order."""

Series = list[tuple[int, float]]
"""Times in ns and values."""

Curves = dict[str, dict[str, Series]]
"""Series by the title of their panel, and by their name."""

Color = tuple[int, int, int]

_WIDTH, _HEAD, _EDGE, _TITLE, _CLOCK = 600, 28, 8, 20, 160  # in pixels
_PLOT = PANEL - _TITLE - 4
_TEXT, _FAINT, _GRID, _OTHER = (60, 60, 60), (130, 130, 130), (228, 228, 228), (90, 90, 90)
_SPARKS = " .:-=+*#%@"


class CurveRenderer(Renderer):
    """Draws a panel for each quantity, in which each unit of an agent has a curve.

    Attributes:
        titles: Titles of the panels.
        unit: Name of a unit, such as `user`, if an agent has several.
        span_s: Number of seconds that are drawn.
    """

    modes = ("ansi", "human", "rgb_array")
    remembers = 400
    titles: tuple[str, ...] = ()
    unit: str = "unit"
    span_s: int = 10

    def read(self, past: Past) -> Sequence[Sequence[float]] | np.ndarray[Any, Any]:
        """Return the values of each unit of an agent at a time, in the order of `titles`."""
        raise NotImplementedError

    def curves(self, views: Mapping[str, AgentView]) -> Curves:
        """Return the series of all units."""
        curves: Curves = {title: {} for title in self.titles}
        for agent, view in views.items():
            for past in view.past:
                rows = self.read(past)
                for number, row in enumerate(rows):
                    name = agent if len(rows) == 1 else f"{self.unit} {number}"
                    for title, value in zip(self.titles, row, strict=True):
                        curves[title].setdefault(name, []).append((past.time_ns, float(value)))
        return curves

    def render(self, mode: str, views: Mapping[str, AgentView], time_ns: int) -> Any:
        """Return text, or the picture of `draw_panels()`."""
        curves = self.curves(views)
        if mode == "rgb_array":
            return draw_panels(curves, time_ns, self.span_s)
        lines = [f"t = {time_ns / 1e9:.3f} s"]
        for name in dict.fromkeys(name for panel in curves.values() for name in panel):
            for title, panel in curves.items():
                if series := panel.get(name):
                    lines.append(f"{name}: {title} {series[-1][1]:.2f} |{spark(series)}|")
        return "\n".join(lines)


def draw_panels(curves: Curves, time_ns: int, span_s: int) -> Picture:
    """Draw the last seconds in panels below each other, under the time and the names of series.

    Names of the first panel have a color each, and other names are grey. Series that are shorter
    than `span_s` begin at the left. The shape is (28 + 120 * panels, 600, 3), uint8.
    """
    picture = np.full((_HEAD + len(curves) * PANEL, _WIDTH, 3), 255, np.uint8)
    write(picture, f"t = {time_ns / 1e9:.2f} s", _EDGE, _EDGE, _TEXT)
    names = list(next(iter(curves.values())))
    write_names(picture, names, _EDGE)
    colors = {name: COLORS[number % len(COLORS)] for number, name in enumerate(names)}
    span_ns = span_s * 1_000_000_000
    start = max(0, time_ns - span_ns)
    for number, (title, panel) in enumerate(curves.items()):
        colored = [(colors.get(name, _OTHER), series) for name, series in panel.items()]
        draw_panel(picture, _HEAD + number * PANEL, title, colored, (start, start + span_ns))
    return picture


def spark(series: Series) -> str:
    """Return the last values as a line of characters; greater values have heavier characters."""
    values = [value for _, value in series[-48:]]
    most = max(max(values), 1e-9)
    return "".join(_SPARKS[round((len(_SPARKS) - 1) * max(value, 0) / most)] for value in values)


def write_names(picture: Picture, names: Sequence[str], top: int) -> None:
    """Write names of series in their colors, to the right, in small letters if necessary."""
    shown = names[: len(COLORS)]
    x = picture.shape[1] - _EDGE
    needed = sum(width(name, 2) + 2 * _EDGE for name in shown)
    scale = 2 if needed < x - _CLOCK else 1
    for number, name in reversed(list(enumerate(shown))):
        x -= width(name, scale)
        write(picture, name, x, top, COLORS[number], scale)
        x -= 2 * _EDGE


def draw_panel(
    picture: Picture,
    top: int,
    title: str,
    curves: Iterable[tuple[Color, Series]],
    span: tuple[int, int],
) -> None:
    """Draw series into a part of the picture that is `PANEL` high, from 0 to the maximum.

    Each value holds until the next one. The span is the start and the end in ns of simulated time.
    """
    shown = [(color, [each for each in one if each[0] >= span[0]]) for color, one in curves]
    most = max([value for _, series in shown for _, value in series], default=0.0)
    for share in (0.0, 0.5, 1.0):
        picture[top + _TITLE + round(share * (_PLOT - 1))] = _GRID
    end = f"{most:,.0f}" if most >= 1000 else f"{most:.3g}"
    write(picture, f"{title} (0 to {end})", _EDGE, top, _FAINT)
    for color, series in shown:
        if series:
            _draw_curve(picture[top + _TITLE : top + _TITLE + _PLOT], series, span, most, color)


def _draw_curve(
    plot: Picture,
    series: Series,
    span: tuple[int, int],
    most: float,
    color: Color,
) -> None:
    times, values = np.array(series).T
    columns = np.arange(plot.shape[1])
    length = (span[1] - span[0]) / len(columns)
    at = span[0] + columns * length
    known = np.searchsorted(times, at, side="right") - 1
    inside = (known >= 0) & (at <= times[-1] + length)
    heights = np.clip(values[np.maximum(known, 0)] / max(most, 1e-9), 0, 1)
    rows = np.round((1 - heights) * (_PLOT - 1)).astype(int)
    previous = np.concatenate([rows[:1], rows[:-1]])
    for column in columns[inside]:
        low, high = sorted((rows[column], previous[column] if inside[column - 1] else rows[column]))
        plot[low : high + 2, column] = color
