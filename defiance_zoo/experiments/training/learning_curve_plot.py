# SPDX-License-Identifier: GPL-2.0-only
"""The learning curve of a run."""

from __future__ import annotations

import io
from pathlib import Path

from matplotlib.figure import Figure

from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.experiments.training.metrics import Row


def draw_curve(rows: list[Row], title: str, path: Path) -> None:
    """Draw mean returns over decisions, and evaluations with confidence intervals."""
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.add_subplot(xlabel="Decisions of all agents", ylabel="Mean return", title=title)
    training = _points(rows, "return/mean")
    axes.plot([x for x, _ in training], [y for _, y in training], label="while training")
    mean = _points(rows, "evaluation/return/mean")
    if mean:
        (line,) = axes.plot(*zip(*mean, strict=True), marker="o", label="evaluation, 95 % interval")
        low, high = (_points(rows, f"evaluation/return/{end}") for end in ("low", "high"))
        if low and high:
            steps = [x for x, _ in low]
            bounds = [y for _, y in low], [y for _, y in high]
            axes.fill_between(steps, *bounds, color=line.get_color(), alpha=0.2)
        axes.legend()
    axes.grid(alpha=0.3)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=120)
    write_whole(path, picture.getvalue())


def _points(rows: list[Row], name: str) -> list[tuple[float, float]]:
    """Return steps and values of a metric from rows that have both."""
    return [
        (steps, value)
        for row in rows
        if (steps := row["steps"]) is not None and (value := row.get(name)) is not None
    ]
