# SPDX-License-Identifier: GPL-2.0-only
"""The results of a study: its tables, the axes of its grid, and the lines of its plots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.simulation import Parameter, ParameterType
from defiance_zoo.environments import lookup
from defiance_zoo.experiments.study.cells import Cell
from defiance_zoo.experiments.study.configuration import POLICY, PlotConfig, StudyConfig
from defiance_zoo.experiments.study.measures import COLUMNS
from defiance_zoo.experiments.workbench.estimates import Estimate
from defiance_zoo.experiments.workbench.results_folder import Result
from defiance_zoo.experiments.workbench.table_files import Row, write_csv, write_parquet

_UNITS = {ParameterType.TIME: "s", ParameterType.DATA_RATE: "bps"}


@dataclass(frozen=True)
class Axis:
    """An axis of the grid, or the policies."""

    name: str
    values: Sequence[Any]
    parameter: Parameter | None

    @property
    def unit(self) -> str:
        """Unit of its numbers; empty for plain numbers and texts."""
        return _UNITS.get(self.parameter.type, "") if self.parameter else ""

    @property
    def is_numeric(self) -> bool:
        """Whether its values are numbers, times or rates."""
        return all(self.number(value) is not None for value in self.values)

    def number(self, value: Any) -> float | None:
        """Return a value as a number, in `unit`; None for a text."""
        if self.parameter is not None:
            return self.parameter.to_number(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return float(value)


def find_axes(config: StudyConfig) -> dict[str, Axis]:
    """Return the axes of a study by name, policies first."""
    declaration = lookup(config.env).scenario.declaration(config.parameters)
    declared = declaration.parameters if declaration else {}
    grid = {name: Axis(name, each, declared.get(name)) for name, each in config.axes.items()}
    return {POLICY: Axis(POLICY, list(config.policies), None), **grid}


Line = list[tuple[Any, Estimate]]
"""Estimates by value of the plot's x, in the order of the axis.

If x is a measure, the estimates of x and y, one point.
"""


_SEED = re.compile(r"(?P<policy>.+), seed \d+")


@dataclass(frozen=True)
class Seeds:
    """The results of all seeds of a policy at a place of the grid."""

    place: Mapping[str, Any]
    cells: Sequence[Estimated]

    def estimate(self, measure: str) -> Estimate | None:
        """Return the mean of the seeds' means, with an interval over seeds."""
        found = [each.estimate(measure) for each in self.cells]
        means = [each.mean for each in found if each is not None]
        return Estimate.of(means) if means else None


def group_seeds(policies: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of each policy's seeds: `PPO, seed 1` and `PPO, seed 2` are seeds of `PPO`.

    A policy with one seed keeps its name.
    """
    policies = list(policies)
    groups: dict[str, list[str]] = {}
    for name in policies:
        found = _SEED.fullmatch(name)
        common = found["policy"] if found and found["policy"] not in policies else name
        groups.setdefault(common, []).append(name)
    return {name if len(seeds) > 1 else seeds[0]: seeds for name, seeds in groups.items()}


def merge_seeds(
    axes: Mapping[str, Axis], results: Sequence[Estimated]
) -> tuple[dict[str, Axis], list[Estimated]]:
    """Return axes and results in which one policy replaces its seeds."""
    groups = group_seeds(axes[POLICY].values)
    policies = {seed: name for name, seeds in groups.items() for seed in seeds}
    cells: dict[tuple[Any, ...], list[Estimated]] = {}
    for each in results:
        place = {**each.place, POLICY: policies[each.place[POLICY]]}
        cells.setdefault(tuple(place.items()), []).append(each)
    merged = [
        Seeds(dict(place), these) if len(groups[dict(place)[POLICY]]) > 1 else these[0]
        for place, these in cells.items()
    ]
    return {**axes, POLICY: replace(axes[POLICY], values=list(groups))}, merged


@dataclass(frozen=True)
class Panel:
    """A part of a plot."""

    value: Any
    lines: Mapping[Any, Line]


def read_panels(
    plot: PlotConfig, axes: Mapping[str, Axis], results: Sequence[Estimated]
) -> list[Panel]:
    """Return the panels of a plot that are not empty."""
    fixed = fixed_values(plot, axes)
    shown = [each for each in results if all(each.place[axis] == v for axis, v in fixed.items())]
    values = [None] if plot.panels is None else axes[plot.panels].values
    panels = []
    for value in values:
        here = [r for r in shown if value is None or r.place[plot.panels or ""] == value]
        lines = {name: _line(plot, axes, here, name) for name in axes[plot.lines].values}
        if any(lines.values()):
            panels.append(Panel(value, {name: line for name, line in lines.items() if line}))
    return panels


def plot_table(
    plot: PlotConfig, panels: Sequence[Panel], axes: Mapping[str, Axis]
) -> tuple[list[str], list[list[Any]]]:
    """Return headings and rows: a row for each line, a column for each x; a point has x and y."""
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


def _line(
    plot: PlotConfig, axes: Mapping[str, Axis], results: Sequence[Estimated], name: Any
) -> Line:
    here = [each for each in results if each.place[plot.lines] == name]
    if plot.x not in axes:
        points = [(each.estimate(plot.x), each.estimate(plot.y)) for each in here]
        return [(x, y) for x, y in points if x is not None and y is not None]
    found = {each.place[plot.x]: each.estimate(plot.y) for each in here}
    values = axes[plot.x].values
    return [(value, estimate) for value in values if (estimate := found.get(value)) is not None]


def plots_of(config: StudyConfig, axes: Mapping[str, Axis]) -> list[PlotConfig]:
    """Return the plots of a study or, by default, plots for the usual questions."""
    if config.plots is not None:
        return config.plots
    grid = [axis for name, axis in axes.items() if name != POLICY and len(axis.values) > 1]
    numeric = [axis.name for axis in grid if axis.is_numeric]
    kind = next((axis.name for axis in grid if not axis.is_numeric), None)
    plots = [
        PlotConfig(question=f"What depends on {x}?", x=x, y=config.measure, panels=kind)
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


_DIGITS = 6  # digits of an estimate


class StudyResult(Result[Cell]):
    """A cell of a study with its record."""

    @property
    def place(self) -> Mapping[str, Any]:
        """The cell's place in the tables."""
        return self.cell.place

    @property
    def is_idle(self) -> bool:
        """Whether the cell was played, but no agent decided in any episode."""
        played = self.record.get("episodes", ())
        return bool(played) and not any(each["decisions"] for each in played)

    def estimate(self, measure: str) -> Estimate | None:
        """Return the mean of a measure over the episodes that have it."""
        found = [each.get(measure) for each in self.record.get("episodes", ())]
        values = [value for value in found if value is not None]
        return Estimate.of(values) if values else None


Estimated = StudyResult | Seeds
"""The results at a place of the grid."""


def measures(results: Sequence[StudyResult]) -> list[str]:
    """Return the columns of episodes, in their order."""
    found = {name for each in results for row in each.record.get("episodes", ()) for name in row}
    return [*COLUMNS, *sorted(found - set(COLUMNS))]


def write_tables(
    folder: Path, axes: Sequence[Axis], results: Sequence[StudyResult]
) -> dict[str, list[Row]]:
    """Write `episodes.csv`, `episodes.parquet` and `cells.csv`; return the tables by name."""
    columns = measures(results)
    episodes = [
        {**_place(each, axes), **dict.fromkeys(columns), **row}
        for each in results
        for row in each.record.get("episodes", ())
    ]
    cells = [{**_place(each, axes), **_estimates(each, columns)} for each in results]
    if episodes:
        write_csv(folder / "episodes.csv", episodes)
        write_parquet(folder / "episodes.parquet", episodes)
    write_csv(folder / "cells.csv", cells)
    return {"episodes": episodes, "cells": cells}


def _place(result: StudyResult, axes: Sequence[Axis]) -> Row:
    """Return the columns that identify a cell; times and rates are repeated as numbers."""
    place = dict(result.cell.place)
    for axis in axes:
        if axis.unit:
            place[f"{axis.name}_{axis.unit}"] = axis.number(place[axis.name])
    return place


def _estimates(result: StudyResult, columns: Sequence[str]) -> Row:
    row: Row = {"episodes": len(result.record.get("episodes", ()))}
    for column in columns:
        if column != "seed":
            estimate = result.estimate(column)
            ends = ("mean", "low", "high")
            values = [getattr(estimate, end) if estimate else None for end in ends]
            for suffix, value in zip(("", "_low", "_high"), values, strict=True):
                row[f"{column}{suffix}"] = None if value is None else f"{value:.{_DIGITS}g}"
    return {**row, "error": result.record.get("error"), "message": result.record.get("message")}
