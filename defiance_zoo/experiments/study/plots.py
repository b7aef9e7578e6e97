# SPDX-License-Identifier: GPL-2.0-only
"""Plots with 95 % confidence intervals; the same results give the same bytes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from defiance_zoo.experiments.study.axes import Axis
from defiance_zoo.experiments.study.configuration import PlotConfig
from defiance_zoo.experiments.study.series import Line, Panel, fixed_values
from defiance_zoo.experiments.workbench.drawing import NotDrawn
from defiance_zoo.experiments.workbench.estimates import Estimate
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.figures import save_drawing
from defiance_zoo.experiments.workbench.wording import assignments

_PANEL_IN = (3.6, 3.4)
_LEGEND_IN = 1.6
_COLUMNS = 4
_STYLES = ("-", "--", ":", "-.")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def draw_plot(
    plot: PlotConfig,
    panels: Sequence[Panel],
    axes: Mapping[str, Axis],
    path: Path,
    report: EventCallback,
) -> bytes | NotDrawn:
    """Draw a plot as PNG and as SVG.

    Args:
        plot: What it shows.
        panels: At least one.
        axes: Of the study.
        path: Of the files, without suffix.
        report: Called with the event `not_drawn` if drawing fails.

    Returns:
        The SVG, or why there is none.
    """
    return save_drawing(lambda: _draw(plot, panels, axes), path, report)


def describe_fixed(plot: PlotConfig, axes: Mapping[str, Axis]) -> str:
    """Say which values the axes have that a plot does not show."""
    fixed = fixed_values(plot, axes)
    return assignments({axis: v for axis, v in fixed.items() if len(axes[axis].values) > 1})


def _draw(plot: PlotConfig, panels: Sequence[Panel], axes: Mapping[str, Axis]) -> Figure:
    columns = min(len(panels), _COLUMNS)
    rows = math.ceil(len(panels) / columns)
    size = (_PANEL_IN[0] * columns + _LEGEND_IN, _PANEL_IN[1] * rows)
    figure = Figure(figsize=size, layout="constrained")
    figure.suptitle(describe_fixed(plot, axes), fontsize=9)
    names = list(axes[plot.lines].values)
    handles: dict[str, Any] = {}
    alike = plot.x in axes  # points of different deployments may lie far apart
    grid = figure.subplots(rows, columns, sharex=alike, sharey=alike, squeeze=False)
    parts = list(grid.flat)
    for unused in parts[len(panels) :]:
        unused.set_axis_off()
    for part, panel in zip(parts, panels, strict=False):
        for name, line in panel.lines.items():
            number = names.index(name)
            style = {"color": f"C{number % 10}", "ms": 4, "capsize": 3}
            if plot.x in axes:
                style["linestyle"] = _STYLES[number % len(_STYLES)]
                handles[str(name)] = _draw_line(part, line, axes[plot.x], style)
            else:
                style |= {"marker": _MARKERS[number % len(_MARKERS)], "linestyle": "none"}
                handles[str(name)] = _draw_points(part, line, style)
        part.set_xlabel(plot.x.replace("_", " "))
        if plot.x in axes:
            _set_ticks(part, axes[plot.x])
        part.grid(alpha=0.3)
        if panel.value is not None:
            part.set_title(f"{plot.panels}={panel.value}", fontsize=9)
    for part in grid[:, 0]:
        part.set_ylabel(plot.y.replace("_", " "))
    figure.legend(
        handles.values(), handles.keys(), title=plot.lines, loc="outside right upper", fontsize=8
    )
    return figure


def _draw_line(part: Any, line: Line, axis: Axis, style: dict[str, Any]) -> Any:
    """Draw estimates with their intervals; one of a single episode has none."""
    xs = [_position(axis, value) for value, _ in line]
    ys = [estimate for _, estimate in line]
    return part.errorbar(xs, _means(ys), _reaches(ys), marker="o", **style)


def _draw_points(part: Any, line: Line, style: dict[str, Any]) -> Any:
    """Draw estimates over estimates, with both intervals."""
    xs, ys = [x for x, _ in line], [y for _, y in line]
    return part.errorbar(_means(xs), _means(ys), _reaches(ys), _reaches(xs), **style)


def _means(estimates: Sequence[Estimate]) -> list[float]:
    return [each.mean for each in estimates]


def _reaches(estimates: Sequence[Estimate]) -> tuple[list[float], list[float]]:
    """Return how far the intervals reach below and above the means."""
    below = [0.0 if each.low is None else each.mean - each.low for each in estimates]
    above = [0.0 if each.high is None else each.high - each.mean for each in estimates]
    return below, above


def _set_ticks(part: Any, axis: Axis) -> None:
    part.set_xticks([_position(axis, value) for value in axis.values])
    part.set_xticklabels([str(value) for value in axis.values], rotation=45, ha="right")


def _position(axis: Axis, value: Any) -> float:
    number = axis.number(value) if axis.is_numeric else None
    return float(axis.values.index(value)) if number is None else number
