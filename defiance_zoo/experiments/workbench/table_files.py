# SPDX-License-Identifier: GPL-2.0-only
"""Tables of rows: CSV, Parquet and Markdown."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from defiance_zoo.bridge.system.whole_files import write_whole

Row = dict[str, Any]


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table in Markdown, without a final line end."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, cells))} |" for cells in lines)


def _cell(value: Any) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write at least one row; all rows have the same columns."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, text.getvalue())


def write_parquet(path: Path, rows: Sequence[Row]) -> None:
    """Write at least one row; all rows have the same columns."""
    table = pa.table({name: _array([row[name] for row in rows]) for name in rows[0]})
    write_whole(path, lambda file: pq.write_table(table, file))


def _array(values: list[Any]) -> Any:
    """Return a column of one type: numbers, texts, or values converted to texts."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {float} or kinds == {int, float}:
        return pa.array(values, pa.float64())
    with contextlib.suppress(pa.ArrowException, OverflowError):  # such as integers of 65 bits
        if len(kinds) <= 1:
            return pa.array(values)
    return pa.array([None if value is None else str(value) for value in values])
