# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of a run, a row for each iteration: `metrics.csv` and TensorBoard."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.bridge.system.reading import naming, read_text
from defiance_zoo.experiments.workbench.files import append, write_whole

CSV = "metrics.csv"
_MOST_BYTES, _MOST_NUMBERS = 64 * 2**20, 5_000_000
_DIGITS = 20
Row = dict[str, float | None]


def read_metrics(path: Path) -> list[Row]:
    """Return the rows of a `metrics.csv`; None for missing metrics.

    Raises:
        ParameterError: The file cannot be read, a value is not a number, or rows differ in length.
    """
    if not path.exists():
        return []
    with naming(path, also=(csv.Error,)):
        text = read_text(path, _MOST_BYTES)
        if text.count(",") + text.count("\n") > _MOST_NUMBERS:
            raise ValueError(f"it has more than {_MOST_NUMBERS:,} numbers")
        return _read_rows(csv.reader(io.StringIO(text, newline=""), strict=True))


def _read_rows(lines: Iterator[list[str]]) -> list[Row]:
    columns = next(lines, [])
    if len(set(columns)) < len(columns):
        raise ValueError("two columns have the same name")
    rows = []
    for number, line in enumerate(lines, 1):
        if len(line) != len(columns):
            raise ValueError(f"row {number} has {len(line)} values for {len(columns)} columns")
        rows.append({name: _number(text) for name, text in zip(columns, line, strict=True)})
    return rows


def _number(text: str) -> float | None:
    if not text:
        return None
    return int(text) if text.isdecimal() and len(text) < _DIGITS else float(text)


class Metrics:
    """Writes the metrics of a run.

    A metric may appear at any iteration: it becomes the last column of `metrics.csv`, which is
        empty in earlier rows. A resumed run drops the rows after its checkpoint.

    Attributes:
        rows: All rows, resumed parts included.
    """

    def __init__(self, folder: Path, steps: int, counter: str = "steps") -> None:
        """Continue from a checkpoint.

        Args:
            folder: Folder of the run.
            steps: Steps of the checkpoint; 0 for a new run.
            counter: The column of the run's progress.
        """
        self._path, self._counter = folder / CSV, counter
        self.rows = [row for row in read_metrics(self._path) if (row.get(counter) or 0) <= steps]
        self._columns = list(self.rows[0]) if self.rows else []
        if self._path.exists():
            self._write_all()
        from tensorboardX import SummaryWriter  # imports PyTorch, if it is installed

        self._board = SummaryWriter(str(folder / "tensorboard"), purge_step=steps + 1)

    def add(self, row: Mapping[str, float]) -> None:
        """Write an iteration's metrics.

        Args:
            row: Metrics by name, the counter included.
        """
        self.rows.append(dict(row))
        news = [name for name in row if name not in self._columns]
        self._columns += news
        if news:
            self._write_all()
        else:
            text = io.StringIO(newline="")
            self._writer(text).writerow(row)
            append(self._path, text.getvalue())
        for name, value in row.items():
            if name != self._counter and math.isfinite(value):
                self._board.add_scalar(name, value, int(row[self._counter]))

    def add_picture(self, name: str, pixels: NDArray[np.uint8], steps: int) -> None:
        """Show a picture in TensorBoard.

        Args:
            name: Name of the picture.
            pixels: Shape (height, width, 3).
            steps: Steps of the run at this point.
        """
        self._board.add_image(name, pixels, steps, dataformats="HWC")

    def close(self) -> None:
        """Flush all files."""
        self._board.close()

    def _write_all(self) -> None:
        text = io.StringIO(newline="")
        writer = self._writer(text)
        writer.writeheader()
        writer.writerows(self.rows)
        write_whole(self._path, text.getvalue())

    def _writer(self, file: io.TextIOBase) -> csv.DictWriter[str]:
        return csv.DictWriter(file, self._columns, restval="", lineterminator="\n")
