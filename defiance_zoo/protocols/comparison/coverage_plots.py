# SPDX-License-Identifier: GPL-2.0-only
"""Plots of coverage over steps."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from defiance_zoo.experiments.workbench.drawing import NotDrawn
from defiance_zoo.experiments.workbench.estimates import Estimate
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.figure_files import line_colors, save_drawing
from defiance_zoo.experiments.workbench.results_folder import Result
from defiance_zoo.experiments.workbench.wording import counted
from defiance_zoo.protocols.comparison.configuration import ComparisonConfig
from defiance_zoo.protocols.comparison.exploration import Cell


@dataclass(frozen=True)
class Drawn:
    """A plot."""

    system: str
    measure: str
    svg: bytes | NotDrawn


def draw_curves(
    config: ComparisonConfig,
    results: Sequence[Result[Cell]],
    folder: Path,
    report: EventCallback,
) -> list[Drawn]:
    """Draw each measure of each system over steps, with 95 % intervals of the mean."""
    drawn: list[Drawn] = []
    for system, described in config.systems.items():
        mine = [each for each in results if each.cell.system == system and each.finished]
        finals = [f"final/{name}" for name in described.hierarchies]
        for measure in ["coverage", *finals] if mine else []:
            name = f"{len(drawn) + 1:02}-{measure.replace('/', '-')}"
            draw = functools.partial(_draw, config, mine, measure)
            drawn.append(Drawn(system, measure, save_drawing(draw, folder / name, report)))
    return drawn


def _draw(config: ComparisonConfig, results: Sequence[Result[Cell]], measure: str) -> Figure:
    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    part = figure.subplots()
    colors = line_colors(len(config.policies))
    for color, policy in zip(colors, config.policies, strict=True):
        mine = [each.record["curve"] for each in results if each.cell.policy == policy]
        by_step: dict[int, list[float]] = {}
        for curve in mine:
            for point in curve:
                by_step.setdefault(point["step"], []).append(float(point[measure]))
        whole = {step: values for step, values in by_step.items() if len(values) == len(mine)}
        if whole:
            steps = sorted(whole)
            estimates = [Estimate.of(whole[step]) for step in steps]
            means = [each.mean for each in estimates]
            low = [each.mean if each.low is None else each.low for each in estimates]
            high = [each.mean if each.high is None else each.high for each in estimates]
            sample = counted([len(mine)], "seed") + (", no interval" if len(mine) == 1 else "")
            part.plot(steps, means, color=color, label=f"{policy} ({sample})")
            part.fill_between(steps, low, high, color=color, alpha=0.2, linewidth=0)
    part.set_xlabel("Simulated steps")
    name = measure.removeprefix("final/")
    part.set_ylabel("Multisets of colours" if name == "coverage" else f"States of {name}")
    part.set_ylim(bottom=0)
    part.grid(alpha=0.3)
    if part.lines:
        part.legend(fontsize=8)
    return figure
