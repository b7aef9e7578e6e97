# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of a run."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from event_files import scalars

from defiance_zoo.experiments.training.metrics import Metrics, read_metrics


def write(folder: Path, steps: int | None, *rows: dict[str, float]) -> None:
    """Write rows as one part of a run that continues from a step."""
    metrics = Metrics(folder, steps)
    for row in rows:
        metrics.add(row)
    metrics.close()


def test_a_metric_may_appear_in_a_later_row(tmp_path: Path) -> None:
    write(tmp_path, None, {"steps": 10}, {"steps": 20, "return/mean": 1.5}, {"steps": 30})
    assert (tmp_path / "metrics.csv").read_text() == "steps,return/mean\n10,\n20,1.5\n30,\n"
    assert read_metrics(tmp_path / "metrics.csv") == [
        {"steps": 10, "return/mean": None},
        {"steps": 20, "return/mean": 1.5},
        {"steps": 30, "return/mean": None},
    ]


def test_a_resumed_run_drops_rows_after_its_checkpoint(tmp_path: Path) -> None:
    write(tmp_path, None, {"steps": 10, "a": 1.0}, {"steps": 20, "a": 2.0}, {"steps": 30, "a": 3.0})
    write(tmp_path, 20, {"steps": 40, "a": 4.0, "b": 0.5})
    rows = read_metrics(tmp_path / "metrics.csv")
    assert [row["steps"] for row in rows] == [10, 20, 40]
    assert [row["b"] for row in rows] == [None, None, 0.5]


@pytest.mark.parametrize("left", ["30,3", "30,3.0\n40,", "\0\0\0\n", "\xff\n"])
def test_damaged_rows_after_the_checkpoint_do_not_matter(left: str, tmp_path: Path) -> None:
    write(tmp_path, None, {"steps": 10, "a": 1.0}, {"steps": 20, "a": 2.0})
    path = tmp_path / "metrics.csv"
    path.write_bytes(path.read_bytes() + left.encode("latin-1"))
    write(tmp_path, 20, {"steps": 30, "a": 3.0})
    assert path.read_text() == "steps,a\n10,1.0\n20,2.0\n30,3.0\n"


def test_readers_ignore_an_incomplete_last_row(tmp_path: Path) -> None:
    (tmp_path / "metrics.csv").write_text("steps,a\n10,1.0\n20,2")
    assert [row["steps"] for row in read_metrics(tmp_path / "metrics.csv")] == [10]


def test_metrics_are_added_to_the_last_row(tmp_path: Path) -> None:
    metrics = Metrics(tmp_path, None)
    metrics.add({"steps": 10, "a": 1.0})
    metrics.amend({"b": 2.0})
    metrics.close()
    assert (tmp_path / "metrics.csv").read_text() == "steps,a,b\n10,1.0,2.0\n"
    assert scalars(tmp_path / "tensorboard") == {("a", 10): 1.0, ("b", 10): 2.0}


def test_numbers_are_written_without_rounding(tmp_path: Path) -> None:
    write(tmp_path, None, {"steps": 10, "a": 0.1 + 0.2, "b": math.inf})
    (row,) = read_metrics(tmp_path / "metrics.csv")
    assert row == {"steps": 10, "a": 0.1 + 0.2, "b": math.inf}


def test_tensorboard_has_the_same_values(tmp_path: Path) -> None:
    write(tmp_path, None, {"steps": 10, "return/mean": 1.5, "loss": math.nan}, {"steps": 20})
    assert scalars(tmp_path / "tensorboard") == {("return/mean", 10): 1.5}
