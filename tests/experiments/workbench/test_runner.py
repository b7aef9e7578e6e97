# SPDX-License-Identifier: GPL-2.0-only
"""The runner of cells: records, events, and the remaining cells."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.results_folder import Result, ResultsFolder, is_finished
from defiance_zoo.experiments.workbench.runner import CellRunner, Progress, local_workers


@dataclass
class Counted:
    """The record of a cell that was run."""

    count: int


class CountingFolder(ResultsFolder):
    """A folder of counts."""

    kind: ClassVar[str] = "count"
    described_by: ClassVar[str] = "count.yaml"
    folders: ClassVar[tuple[str, ...]] = ("cells",)
    results: ClassVar[type] = Counted


@dataclass(frozen=True)
class Cell:
    """A cell that counts to a number; with a negative number it fails."""

    number: int

    @property
    def key(self) -> str:
        """Return the name of its file."""
        return f"cell{self.number}"

    @property
    def place(self) -> dict[str, Any]:
        """Return its place in the tables."""
        return {"number": self.number}

    def run(self, report: EventCallback) -> dict[str, Any]:
        """See `Job`."""
        report({"event": "counting"})
        if self.number < 0:
            raise ValueError("below 0")
        return {"count": self.number}

    def portable(self) -> Cell:
        """See `Job`."""
        return self


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[CountingFolder]:
    with closing(CountingFolder(tmp_path / "out")) as opened:
        opened.begin("counts\n", {"python": "3"})
        yield opened


def test_runner_writes_a_record_and_reports_an_event_for_each_cell(
    folder: CountingFolder,
) -> None:
    cells, events = [Cell(3), Cell(-1)], []
    runner: CellRunner[Cell] = CellRunner(folder, events.append)
    with closing(local_workers(0)) as workers:
        runner.run(workers, cells, lambda cell: cell, lambda _cell, record: dict(record))
    assert [is_finished(folder.path, cell) for cell in cells] == [True, False]
    results = [Result(cell, folder.record(cell) or {}) for cell in cells]
    assert [each.finished for each in results] == [True, False]
    assert [each.record for each in results] == [
        {"count": 3},
        {"error": "ValueError", "message": "below 0"},
    ]
    counting, finished, _, failed = events
    assert counting == {"event": "counting", "cell": {"number": 3}}
    progress = {"done": 1, "cells": 2, "remaining_s": finished["remaining_s"]}
    assert finished == {"event": "cell", "cell": {"number": 3}, "count": 3, **progress}
    assert failed == {
        "event": "failed",
        "cell": {"number": -1},
        "error": "ValueError",
        "message": "below 0",
    }


def test_record_replaces_a_failure_of_its_cell(folder: CountingFolder) -> None:
    cell = Cell(1)
    folder.write_record(cell, {"error": "ValueError", "message": "once"})
    folder.write_record(cell, {"count": 1})
    assert folder.record(cell) == {"count": 1}
    assert [path.name for path in (folder.path / "cells").iterdir()] == ["cell1.json"]


def test_damaged_record_is_refused_with_its_file(folder: CountingFolder) -> None:
    (folder.path / "cells" / "cell1.json").write_text('{"cell": {}, "count": "one"}')
    with pytest.raises(ParameterError, match=r"cell1\.json is damaged; delete it"):
        folder.record(Cell(1))


def test_progress_estimates_the_remaining_time(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([10.0, 14.0, 20.0])
    monkeypatch.setattr("time.monotonic", lambda: next(times))
    progress = Progress(10)
    assert progress.advance(2) == {"done": 2, "cells": 10, "remaining_s": 16.0}
    assert progress.advance(8) == {"done": 10, "cells": 10, "remaining_s": 0.0}
