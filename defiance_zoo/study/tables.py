# SPDX-License-Identifier: GPL-2.0-only
"""The results of a study: a row an episode, and a row a cell."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from defiance_zoo.study.axes import Axis
from defiance_zoo.study.cells import Cell
from defiance_zoo.study.folder import Record
from defiance_zoo.study.measures import COLUMNS
from defiance_zoo.training.evaluation import Estimate
from defiance_zoo.training.files import write_whole

Row = dict[str, Any]
_DIGITS = 6  # of an estimate


@dataclass(frozen=True)
class Result:
    """What is known of a cell.

    Attributes:
        cell: Which one.
        record: What was written down.
    """

    cell: Cell
    record: Record

    @property
    def is_idle(self) -> bool:
        """Whether it was played, and nobody decided in any episode."""
        played = self.record.get("episodes", ())
        return bool(played) and not any(each["decisions"] for each in played)

    def estimate(self, measure: str) -> Estimate | None:
        """Return the mean of a measure over the episodes that have it."""
        found = [each.get(measure) for each in self.record.get("episodes", ())]
        values = [value for value in found if value is not None]
        return Estimate.of(values) if values else None


def measures(results: Sequence[Result]) -> list[str]:
    """Return the columns of episodes, in their order."""
    found = {name for each in results for row in each.record.get("episodes", ()) for name in row}
    return [*COLUMNS, *sorted(found - set(COLUMNS))]


def write_tables(folder: Path, axes: Sequence[Axis], results: Sequence[Result]) -> None:
    """Write `episodes.csv`, `episodes.parquet` and `cells.csv`."""
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


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table in Markdown, without an end of line."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)


def _place(result: Result, axes: Sequence[Axis]) -> Row:
    """Return the columns that say which cell it is; times and rates stand there as numbers, too."""
    place = dict(result.cell.place)
    for axis in axes:
        if axis.unit:
            place[f"{axis.name}_{axis.unit}"] = axis.number(place[axis.name])
    return place


def _estimates(result: Result, columns: Sequence[str]) -> Row:
    row: Row = {"episodes": len(result.record.get("episodes", ()))}
    for column in columns:
        if column != "seed":
            estimate = result.estimate(column)
            ends = ("mean", "low", "high")
            values = [getattr(estimate, end) if estimate else None for end in ends]
            for suffix, value in zip(("", "_low", "_high"), values, strict=True):
                row[f"{column}{suffix}"] = None if value is None else f"{value:.{_DIGITS}g}"
    return {**row, "error": result.record.get("error"), "message": result.record.get("message")}


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write rows, of which there is one, that have the same columns."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, text.getvalue())


def write_parquet(path: Path, rows: Sequence[Row]) -> None:
    """Write rows, of which there is one, that have the same columns."""
    content = io.BytesIO()
    table = pa.table({name: _array([row[name] for row in rows]) for name in rows[0]})
    pq.write_table(table, content)
    write_whole(path, content.getvalue())


def _array(values: list[Any]) -> Any:
    """Return a column of one type: of numbers, of texts, or of what values say as texts."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {float} or kinds == {int, float}:
        return pa.array(values, pa.float64())
    with contextlib.suppress(pa.ArrowException, OverflowError):  # such as integers of 65 bits
        if len(kinds) <= 1:
            return pa.array(values)
    return pa.array([None if value is None else str(value) for value in values])
