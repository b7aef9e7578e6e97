# SPDX-License-Identifier: GPL-2.0-only
"""What plots show: the results of a study, cut along three axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from defiance_zoo.experiments.study.axes import Axis
from defiance_zoo.experiments.study.configuration import PlotConfig, StudyConfig
from defiance_zoo.experiments.study.study_file import POLICY
from defiance_zoo.experiments.study.tables import Result
from defiance_zoo.experiments.workbench.estimates import Estimate

Line = list[tuple[Any, Estimate]]
"""Values of the plot's x with the estimates there, in the order of the axis.

Where x is a measure: the one point of its estimate and that of y.
"""


@dataclass(frozen=True)
class Panel:
    """A part of a plot.

    Attributes:
        value: Of the plot's `panels`; None if it has one panel.
        lines: By value of the plot's `lines`.
    """

    value: Any
    lines: Mapping[Any, Line]


def read_panels(
    plot: PlotConfig, axes: Mapping[str, Axis], results: Sequence[Result]
) -> list[Panel]:
    """Return the panels of a plot that have something to show."""
    fixed = fixed_values(plot, axes)
    shown = [
        each for each in results if all(each.cell.place[axis] == v for axis, v in fixed.items())
    ]
    values = [None] if plot.panels is None else axes[plot.panels].values
    panels = []
    for value in values:
        here = [r for r in shown if value is None or r.cell.place[plot.panels or ""] == value]
        lines = {name: _line(plot, axes, here, name) for name in axes[plot.lines].values}
        if any(lines.values()):
            panels.append(Panel(value, {name: line for name, line in lines.items() if line}))
    return panels


def plot_table(
    plot: PlotConfig, panels: Sequence[Panel], axes: Mapping[str, Axis]
) -> tuple[list[str], list[list[Any]]]:
    """Return headings and rows: a row a line, a column a value of x; a point has x and y."""
    columns = axes[plot.x].values if plot.x in axes else None
    first = [plot.panels] if plot.panels else []
    rows = []
    for panel in panels:
        for name, line in panel.lines.items():
            found = dict(line)
            numbers = line[0] if columns is None else [found.get(value) for value in columns]
            start = [panel.value] if plot.panels else []
            rows.append([*start, name, *map(write_estimate, numbers)])
    headings = [plot.x, plot.y] if columns is None else [f"{plot.x}={v}" for v in columns]
    return [*first, plot.lines, *headings], rows


def write_estimate(estimate: Estimate | None) -> str:
    """Return a mean with its interval, to four digits."""
    if estimate is None:
        return ""
    if estimate.high is None:
        return f"{estimate.mean:.4g}"
    return f"{estimate.mean:.4g} ({estimate.low:.4g} to {estimate.high:.4g})"


def fixed_values(plot: PlotConfig, axes: Mapping[str, Axis]) -> dict[str, Any]:
    """Return the values of the axes that a plot does not show."""
    shown = (plot.x, plot.lines, plot.panels)
    return {
        name: plot.where.get(name, axis.values[0])
        for name, axis in axes.items()
        if name not in shown
    }


def _line(plot: PlotConfig, axes: Mapping[str, Axis], results: Sequence[Result], name: Any) -> Line:
    here = [each for each in results if each.cell.place[plot.lines] == name]
    if plot.x not in axes:
        points = [(each.estimate(plot.x), each.estimate(plot.y)) for each in here]
        return [(x, y) for x, y in points if x is not None and y is not None]
    found = {each.cell.place[plot.x]: each.estimate(plot.y) for each in here}
    values = axes[plot.x].values
    return [(value, estimate) for value in values if (estimate := found.get(value)) is not None]


def plots_of(config: StudyConfig, axes: Mapping[str, Axis]) -> list[PlotConfig]:
    """Return the plots that a study asks for, or those that answer the usual questions."""
    if config.plots is not None:
        return config.plots
    grid = [axis for name, axis in axes.items() if name != POLICY and len(axis.values) > 1]
    numeric = [axis.name for axis in grid if axis.is_numeric]
    kind = next((axis.name for axis in grid if not axis.is_numeric), None)
    plots = [
        PlotConfig(question=f"What does {x} do to the return?", x=x, y=config.measure, panels=kind)
        for x in numeric
    ]
    for x in numeric[:1]:
        if kind is not None:
            question = f"Which {kind}?"
            y = config.measure
            plots.append(PlotConfig(question=question, y=y, x=x, lines=kind, panels=POLICY))
        for y in ("bytes_per_s", "observation_mean_latency_s"):
            question = "What does the communication cost?"
            plots.append(PlotConfig(question=question, y=y, x=x, lines=kind or POLICY))
    return plots
