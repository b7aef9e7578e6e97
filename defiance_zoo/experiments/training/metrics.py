# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of a run, a row for each iteration: `metrics.csv` and TensorBoard."""

from __future__ import annotations

import contextlib
import csv
import io
import math
import os
import socket
import struct
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.bridge.system.reading import naming, read_bytes
from defiance_zoo.bridge.system.whole_files import append, write_all, write_whole, writing

CSV = "metrics.csv"
_MOST_BYTES, _MOST_NUMBERS = 64 * 2**20, 5_000_000
_DIGITS = 20
Row = dict[str, float | None]


def read_metrics(path: Path) -> list[Row]:
    """Return the rows of a `metrics.csv`; None for missing metrics."""
    return list(_read_rows(path))


def _read_rows(path: Path) -> Iterator[Row]:
    """Yield rows, without an incomplete last line, which a killed process may have left."""
    if not path.exists():
        return
    with naming(path, also=(csv.Error,)):
        content = read_bytes(path, _MOST_BYTES)
        if content.count(b",") + content.count(b"\n") > _MOST_NUMBERS:
            raise ValueError(f"it has more than {_MOST_NUMBERS:,} numbers")
        text = content[: content.rfind(b"\n") + 1].decode(errors="replace")
        lines = csv.reader(io.StringIO(text, newline=""), strict=True)
        columns = next(lines, [])
        if len(set(columns)) < len(columns):
            raise ValueError("two columns have the same name")
        for number, line in enumerate(lines, 1):
            if len(line) != len(columns):
                raise ValueError(f"row {number} has {len(line)} values for {len(columns)} columns")
            yield {name: _number(text) for name, text in zip(columns, line, strict=True)}


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
        board: TensorBoard's file, which also takes pictures and texts.
    """

    def __init__(self, folder: Path, steps: int | None, counter: str = "steps") -> None:
        self._path, self._counter = folder / CSV, counter
        self.rows: list[Row] = []
        if steps is not None:
            for row in _read_rows(self._path):
                if (row.get(counter) or 0) <= steps:
                    self.rows.append(row)
                if (row.get(counter) or 0) >= steps:
                    break
        self._columns = list(self.rows[0]) if self.rows else []
        if self._path.exists():
            self._write_all()
        self.board = Board(folder / "tensorboard", 0 if steps is None else steps + 1)

    def add(self, row: Mapping[str, float]) -> None:
        """Write an iteration's metrics."""
        self.rows.append(dict(row))
        news = [name for name in row if name not in self._columns]
        self._columns += news
        if news:
            self._write_all()
        else:
            text = io.StringIO(newline="")
            self._writer(text).writerow(row)
            append(self._path, text.getvalue())
        self.board.add(row, int(row[self._counter]), but=self._counter)

    def amend(self, more: Mapping[str, float]) -> None:
        """Add metrics to the last row."""
        self.rows[-1].update(more)
        self._columns += [name for name in more if name not in self._columns]
        self._write_all()
        self.board.add(more, int(self.rows[-1][self._counter] or 0))

    def close(self) -> None:
        """Close all files."""
        self.board.close()

    def _write_all(self) -> None:
        text = io.StringIO(newline="")
        writer = self._writer(text)
        writer.writeheader()
        writer.writerows(self.rows)
        write_whole(self._path, text.getvalue())

    def _writer(self, file: io.TextIOBase) -> csv.DictWriter[str]:
        return csv.DictWriter(file, self._columns, restval="", lineterminator="\n")


def show_levels(folder: Path, means: Mapping[str, float], steps: int) -> None:
    """Show the mean returns of other policies as lines beside a run's learning curve.

    For TensorBoard, each policy is a separate run with the run's names of metrics, because
    TensorBoard draws the metrics of one name in one picture.
    """
    for policy, mean in means.items():
        with contextlib.closing(Board(folder / "tensorboard" / policy, 0)) as board:
            for end in (0, steps):
                board.add({"return/mean": mean, "evaluation/return/mean": mean}, end)


class Board:
    """Writes metrics for TensorBoard, at once.

    tensorboardX's own writer has a thread and a buffer: the first ends with a traceback on a full
    disk, and the second is lost with the process.
    """

    def __init__(self, folder: Path, first: int) -> None:
        from tensorboardX import proto, record_writer, summary  # imports PyTorch, if installed

        self._events, self._summary = proto.event_pb2, summary
        self._checksum = record_writer.masked_crc32c
        host = f"{socket.gethostname()}.{os.getpid()}.{time.monotonic_ns()}"
        self._path = folder / f"events.out.tfevents.{time.time():.0f}.{host}"
        with writing(self._path):
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("xb", buffering=0)
        self._write(file_version="brain.Event:2")
        log = self._events.SessionLog(status=self._events.SessionLog.START)
        self._write(step=first, session_log=log)

    def add(self, row: Mapping[str, float], steps: int, but: str = "") -> None:
        """Write the finite metrics of a row except one."""
        for name, value in row.items():
            if name != but and math.isfinite(value):
                self._write(step=steps, summary=self._summary.scalar(name, value))

    def add_picture(self, name: str, pixels: NDArray[np.uint8], steps: int) -> None:
        """Write a picture."""
        shown = self._summary.image(name, pixels, dataformats="HWC")
        self._write(step=steps, summary=shown)

    def add_film(self, name: str, gif: bytes, size: tuple[int, int], steps: int) -> None:
        """Write an animation."""
        from tensorboardX.proto.summary_pb2 import Summary

        image = Summary.Image(height=size[0], width=size[1], colorspace=3, encoded_image_string=gif)
        self._write(step=steps, summary=Summary(value=[Summary.Value(tag=name, image=image)]))

    def add_text(self, name: str, text: str, steps: int) -> None:
        """Write a text, as a block of code of Markdown, which keeps its lines."""
        block = "\n".join(f"    {line}" for line in text.splitlines())
        self._write(step=steps, summary=self._summary.text(name, block))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, **content: Any) -> None:
        """Write an event as a record: length, event, and a checksum of each."""
        event = self._events.Event(wall_time=time.time(), **content).SerializeToString()
        length = struct.pack("<Q", len(event))
        parts = (self._seal(length), self._seal(event))
        with writing(self._path):
            write_all(self._file, b"".join(parts))

    def _seal(self, data: bytes) -> bytes:
        return data + struct.pack("<I", self._checksum(data))
