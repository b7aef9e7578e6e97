# SPDX-License-Identifier: GPL-2.0-only
"""Studies that the tests run."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from defiance_zoo.experiments.study import Study, read_study

ROOT = Path(__file__).resolve().parents[3]
SMALL = ROOT / "benchmarks" / "studies" / "cart_pole_v0_small.yaml"

BASELINES: dict[str, Any] = {
    "env": "cart_pole_v0",
    "parameters": {"duration": "400ms"},
    "policies": {"feedback": {"baseline": "state_feedback"}, "chance": {"baseline": "random"}},
    "grid": {"transport": ["simple", "udp"], "delay": ["0ms", "30ms"]},
    "episodes": 2,
}
"""A study that trains nothing: eight cells."""


def write(folder: Path, **changes: Any) -> Path:
    """Write `BASELINES` with changes as a file."""
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump({**BASELINES, **changes}, sort_keys=False))
    return path


def read(folder: Path, **changes: Any) -> Study:
    """Return the parsed contents of a study file."""
    return read_study(write(folder, **changes))


@contextlib.contextmanager
def started(
    file: Path, out: Path, *flags: Any, **variables: str
) -> Iterator[subprocess.Popen[str]]:
    """Start a study in a separate process that prints its events."""
    command = [sys.executable, "-m", "defiance_zoo", "study", file, "--out", out, "--json", *flags]
    process = subprocess.Popen(
        [str(each) for each in command],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **variables},
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def run(file: Path, out: Path, *flags: Any, **variables: str) -> tuple[int, list[dict[str, Any]]]:
    """Run a study to its end; return its status and its events."""
    with started(file, out, *flags, **variables) as process:
        printed, _ = process.communicate()
    return process.returncode, [json.loads(line) for line in printed.splitlines()]


def tables(folder: Path) -> dict[str, bytes]:
    """Return the tables of results of a study."""
    names = ("cells.csv", "episodes.csv", "episodes.parquet", "report.html")
    return {name: (folder / name).read_bytes() for name in names}


def incomplete(folder: Path) -> list[Path]:
    """Return files that were not completed."""
    return [path for path in folder.rglob(".*") if path.name not in (".lock", ".last", ".best")]


def read_csv(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table."""
    with path.open() as file:
        return list(csv.DictReader(file))
