# SPDX-License-Identifier: GPL-2.0-only
"""The tables of a study: a row for each episode, and a row for each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from defiance_zoo.experiments.study.cells import Cell
from defiance_zoo.experiments.study.measures import COLUMNS
from defiance_zoo.experiments.study.series import Axis
from defiance_zoo.experiments.workbench.estimates import Estimate
from defiance_zoo.experiments.workbench.results_folder import Result
from defiance_zoo.experiments.workbench.table_files import Row, write_csv, write_parquet

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
