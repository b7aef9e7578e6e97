# SPDX-License-Identifier: GPL-2.0-only
"""Plots with 95 % confidence intervals; equal results give equal bytes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.experiments.study.configuration import DEPLOYMENT, POLICY, PlotConfig, StudyConfig
from defiance_zoo.experiments.study.series import (
    Axis,
    Estimated,
    Line,
    Panel,
    fixed_values,
    group_seeds,
    merge_seeds,
    plot_table,
    plots_of,
    read_panels,
)
from defiance_zoo.experiments.workbench.estimates import Estimate
from defiance_zoo.experiments.workbench.events import EventCallback, NotDrawn
from defiance_zoo.experiments.workbench.figure_files import line_colors, save_drawing
from defiance_zoo.experiments.workbench.table_files import markdown_table
from defiance_zoo.experiments.workbench.wording import UNITS, assignments, counted

_WIDTHS_IN = (5.6, 7.6, 8.4)
"""Widths of figures with one, two and three panels side by side."""

_HEIGHTS_IN = (3.4, 3.0, 2.6)
_LEGEND_LINE_IN = 0.2
_HANDLE_IN, _LETTER_IN = 0.65, 0.085  # widths in a legend
_UPRIGHT = 4
"""Maximum length of a text below the x axis; longer texts are slanted to avoid overlaps."""

_STYLES = ("-", "--", ":", "-.")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_QUANTITY = re.compile(r"(?P<number>[\d.]+) ?(?P<unit>[A-Za-z]+)")
_SPREAD = 0.6
"""Share of the distance between two ticks over which the lines' points are spread."""


@dataclass(frozen=True)
class Drawn:
    """A plot with its numbers."""

    plot: PlotConfig
    panels: Sequence[Panel]
    svg: bytes | NotDrawn


def draw_plots(
    config: StudyConfig,
    axes: Mapping[str, Axis],
    results: Sequence[Estimated],
    folder: Path,
    report: EventCallback,
) -> list[Drawn]:
    """Draw the plots of a study as PNG and SVG, each with a table in Markdown."""
    drawn = []
    for number, plot in enumerate(plots_of(config, axes), 1):
        panels = read_panels(plot, axes, results)
        if panels:
            path = folder / f"{number:02}-{plot.y}-{plot.x}"
            draw = _Plot(config, plot, axes, results).draw
            drawn.append(Drawn(plot, panels, save_drawing(draw, path, report)))
            table = markdown_table(*plot_table(plot, panels, axes))
            write_whole(path.with_suffix(".md"), f"{table}\n")
    return drawn


def describe_fixed(plot: PlotConfig, axes: Mapping[str, Axis]) -> str:
    """Return the values of the axes that a plot does not show."""
    fixed = fixed_values(plot, axes)
    several = {axis: v for axis, v in fixed.items() if len(axes[axis].values) > 1}
    return assignments({axis.replace("_", " "): v for axis, v in several.items()}, ": ")


class _Plot:
    """A plot of a study, with one line for all seeds of a policy."""

    def __init__(
        self,
        config: StudyConfig,
        plot: PlotConfig,
        axes: Mapping[str, Axis],
        results: Sequence[Estimated],
    ) -> None:
        self._config, self._plot = config, plot
        self._fixed = describe_fixed(plot, axes)
        self._seeds = group_seeds(axes[POLICY].values)
        if POLICY in (plot.x, plot.lines, plot.panels):
            axes, results = merge_seeds(axes, results)
        self._axis = axes.get(plot.x)
        self._panels = read_panels(plot, axes, results)
        names = list(axes[plot.lines].values)
        self._numbers = {name: number for number, name in enumerate(names)}
        self._colors = dict(zip(names, line_colors(len(names)), strict=True))

    def draw(self) -> Figure:
        """Draw all panels, and the legend below them."""
        columns = min(len(self._panels), len(_WIDTHS_IN))
        rows = math.ceil(len(self._panels) / columns)
        labels = self._legend()
        widest = _HANDLE_IN + _LETTER_IN * max(map(len, labels.values()), default=0)
        entries = min(max(2, columns), max(1, int(_WIDTHS_IN[columns - 1] / widest)))
        legend = _LEGEND_LINE_IN * (1 + math.ceil(len(labels) / entries))
        size = (_WIDTHS_IN[columns - 1], _HEIGHTS_IN[columns - 1] * rows + legend)
        figure = Figure(figsize=size, layout="constrained")
        figure.suptitle(self._fixed, fontsize="medium")
        alike = self._axis is not None  # points of different deployments may be far apart
        grid = figure.subplots(rows, columns, sharex=alike, sharey=alike, squeeze=False)
        handles: dict[Any, Any] = {}
        for part, panel in zip(grid.flat, self._panels, strict=False):
            for name, line in panel.lines.items():
                handles[name] = self._draw_line(part, name, line)
            self._describe(part, panel)
        for part in list(grid.flat)[len(self._panels) :]:
            part.set_axis_off()
        for part in grid[:, 0]:
            part.set_ylabel(self._config.label(self._plot.y))
        figure.legend(
            [handles[name] for name in labels],
            labels.values(),
            title=self._legend_title(),
            ncols=entries,
            loc="outside lower center",
        )
        return figure

    def _draw_line(self, part: Any, name: Any, line: Line) -> Any:
        """Draw a line with a band over numbers, and otherwise points with bars."""
        number = self._numbers[name]
        share = number / len(self._numbers)
        style = {
            "color": self._colors[name],
            "marker": _MARKERS[number % len(_MARKERS)],
            "markersize": 7 - 4 * share,  # a line stays visible below another line
            "elinewidth": 1.2,
            "linestyle": "none",
        }
        ys = [estimate for _, estimate in line]
        if self._axis is None:
            xs = [estimate for estimate, _ in line]
            return part.errorbar(_means(xs), _means(ys), _reaches(ys), _reaches(xs), **style)
        positions = [_position(self._axis, value) for value, _ in line]
        if self._axis.is_numeric:
            low = [math.nan if each.low is None else each.low for each in ys]
            high = [math.nan if each.high is None else each.high for each in ys]
            part.fill_between(positions, low, high, color=style["color"], alpha=0.2, linewidth=0)
            style |= {"linestyle": _STYLES[number % len(_STYLES)], "linewidth": 2.6 - 1.4 * share}
        else:
            shift = _SPREAD * ((number + 0.5) / len(self._numbers) - 0.5)
            positions = [each + shift for each in positions]
        return part.errorbar(positions, _means(ys), _reaches(ys), **style)

    def _describe(self, part: Any, panel: Panel) -> None:
        """Label the x axis of a panel, and write its title."""
        label = self._config.label(self._plot.x)
        if self._axis is not None:
            texts, unit = _ticks(self._axis)
            if unit and self._plot.x not in self._config.labels:
                label = f"{label} ({unit})"
            part.set_xticks([_position(self._axis, value) for value in self._axis.values])
            slanted = {"rotation": 45, "ha": "right"} if max(map(len, texts)) > _UPRIGHT else {}
            part.set_xticklabels(texts, **slanted)
        part.set_xlabel(label)
        part.tick_params(labelbottom=True)  # also for positions without points
        part.grid(alpha=0.3)
        if panel.value is not None:
            axis = self._plot.panels or ""
            known = axis in (DEPLOYMENT, POLICY)
            title = str(panel.value) if known else f"{self._config.label(axis)}: {panel.value}"
            part.set_title(title, fontsize="medium")

    def _legend(self) -> dict[Any, str]:
        """Return the text of each line of any panel."""
        texts = {}
        for name in self._numbers:
            lines = [each.lines[name] for each in self._panels if name in each.lines]
            estimates = [estimate for line in lines for _, estimate in line]
            if estimates:
                texts[name] = f"{name}{self._sample(name, estimates)}"
        return texts

    def _sample(self, name: Any, estimates: Sequence[Estimate]) -> str:
        """Return the sample of a line's intervals, its seeds or episodes, as text."""
        without = "" if any(each.low is not None for each in estimates) else "no interval"
        if self._plot.lines != POLICY:
            return f" ({without})" if without else ""
        word = "seed" if len(self._seeds[name]) > 1 else "episode"
        parts = [counted([each.count for each in estimates], word), without]
        return f" ({', '.join(filter(None, parts))})"

    def _legend_title(self) -> str:
        lines = [line for panel in self._panels for line in panel.lines.values()]
        known = any(estimate.low is not None for line in lines for _, estimate in line)
        shape = "bands" if self._axis is not None and self._axis.is_numeric else "bars"
        interval = f" ({shape}: 95 % intervals of the mean)" if known else ""
        return f"{self._config.label(self._plot.lines)}{interval}"


def _means(estimates: Sequence[Estimate]) -> list[float]:
    return [each.mean for each in estimates]


def _reaches(estimates: Sequence[Estimate]) -> tuple[list[float], list[float]]:
    """Return the distances from the means to the intervals' ends."""
    below = [0.0 if each.low is None else each.mean - each.low for each in estimates]
    above = [0.0 if each.high is None else each.high - each.mean for each in estimates]
    return below, above


def _ticks(axis: Axis) -> tuple[list[str], str]:
    """Return the texts of an axis, and their common unit."""
    texts = [str(value) for value in axis.values]
    if not axis.unit:
        return texts, ""
    found = [_QUANTITY.fullmatch(text) for text in texts]
    units = {each["unit"] if each else "" for each in found}
    if units == {""}:
        return texts, UNITS[axis.unit]
    if len(units) > 1:
        return texts, ""
    unit = units.pop()
    return [each["number"] for each in found if each], UNITS.get(unit, unit)


def _position(axis: Axis, value: Any) -> float:
    number = axis.number(value) if axis.is_numeric else None
    return float(axis.values.index(value)) if number is None else number
