# SPDX-License-Identifier: GPL-2.0-only
"""The learning curve of a training with several seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.metrics import CSV, read_metrics
from defiance_zoo.experiments.workbench.estimates import Estimate

METRICS = ("evaluation/return/mean", "return/mean")
"""Columns of a curve: evaluations during the run or, without them, episodes of training."""

_POINTS = 50


@dataclass(frozen=True)
class Curve:
    """Mean and 95 % confidence interval over runs, at the same steps.

    Attributes:
        metric: A column of `metrics.csv`.
        runs: Number of runs.
        steps: Decisions of all agents.
        mean: Mean of the metric, over runs.
        low: Lower end of the interval; the mean if there is one run.
        high: Upper end of the interval.
    """

    metric: str
    runs: int
    steps: list[float]
    mean: list[float]
    low: list[float]
    high: list[float]


def combine(runs: Sequence[Path], metrics: Sequence[str] = METRICS) -> Curve:
    """Return the curve of runs that differ only in their seeds.

    Between two rows of a run, the metric is interpolated; the curve covers the steps that all runs
    have. If short runs have no common steps, each contributes its nearest value.

    Args:
        runs: Folders of runs.
        metrics: Columns of `metrics.csv`; the first column that all runs have is used.
    """
    tables = [read_metrics(run / CSV) for run in runs]
    for metric in metrics:
        known = ([(row.get("steps"), row.get(metric)) for row in table] for table in tables)
        found = [_points(rows) for rows in known]
        if found and all(len(steps) for steps, _ in found):
            break
    else:
        wanted = " or ".join(metrics)
        raise ParameterError(f"not all of {[str(run) for run in runs]} have {wanted} in {CSV}")
    first = max(steps[0] for steps, _ in found)
    last = min(steps[-1] for steps, _ in found)
    grid = np.linspace(min(first, last), max(first, last), _POINTS)
    values = np.stack([np.interp(grid, steps, returns) for steps, returns in found], axis=1)
    estimates = [Estimate.of([float(each) for each in row]) for row in values]
    return Curve(
        metric,
        len(found),
        [float(each) for each in grid],
        [each.mean for each in estimates],
        [each.mean if each.low is None else each.low for each in estimates],
        [each.mean if each.high is None else each.high for each in estimates],
    )


def _points(
    rows: list[tuple[float | None, float | None]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the steps and values of rows that have both; each has the shape (rows,)."""
    known = [(steps, value) for steps, value in rows if steps is not None and value is not None]
    steps, values = np.array(known, np.float64).reshape(-1, 2).T
    return steps, values
