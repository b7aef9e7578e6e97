# SPDX-License-Identifier: GPL-2.0-only
"""Run the committed studies, and put their tables and plots into the docs.

    python -m benchmarks.learning.study [--only NAME] [--workers N] [--redraw] [--out FOLDER]

Each file in benchmarks/studies/ is a study, except trials (`_small`). Cells in a study's folder in
runs/ are not run again. Trained policies are in runs/baselines/ after `make baselines`. `--redraw`
only draws the plots again, from the docs' `cells.csv`.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.publishing.tables import STUDIES as DOCS
from defiance_zoo.experiments.study import read_study
from defiance_zoo.experiments.study.plots import draw_plots
from defiance_zoo.experiments.study.series import Axis, find_axes
from defiance_zoo.experiments.workbench.estimates import Estimate

ROOT = Path(__file__).parents[2]
STUDIES = {
    path.stem: path
    for path in sorted((Path(__file__).parents[1] / "studies").glob("*.yaml"))
    if not path.stem.endswith("_small")
}


@dataclass(frozen=True)
class Published:
    """A row of a `cells.csv`.

    Attributes:
        place: The policy, and the values of the grid's axes.
        row: The texts of all columns.
    """

    place: Mapping[str, Any]
    row: Mapping[str, str]

    def estimate(self, measure: str) -> Estimate | None:
        """Return the mean of a measure; None if nothing was measured."""
        texts = (self.row.get(f"{measure}{end}") for end in ("", "_low", "_high"))
        mean, low, high = (float(text) if text else None for text in texts)
        return None if mean is None else Estimate(mean, low, high, int(self.row["episodes"]))


def read_cells(path: Path, axes: Iterable[Axis]) -> list[Published]:
    """Return the rows of a `cells.csv`."""
    values = {axis.name: {str(value): value for value in axis.values} for axis in axes}
    with path.open() as file:
        return [
            Published({name: known[row[name]] for name, known in values.items()}, row)
            for row in csv.DictReader(file)
        ]


def redraw(study: Path, published: Path) -> None:
    """Draw the plots of a study again, from its table in the docs."""
    config = read_study(study).config
    axes = find_axes(config)
    with tempfile.TemporaryDirectory() as folder:
        cells = read_cells(published / "cells.csv", axes.values())
        draw_plots(config, axes, cells, Path(folder), print)
        for path in Path(folder).glob("*.png"):  # tables have digits that `cells.csv` lacks
            shutil.copyfile(path, published / path.name)


def publish(study: Path, out: Path) -> None:
    """Copy the files of a study that the docs show."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    plots = [each for each in (study / "plots").iterdir() if each.suffix in (".png", ".md")]
    for path in (study / "cells.csv", study / "versions.json", *plots):
        shutil.copyfile(path, out / path.name)


def main() -> None:
    """Run, and publish."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=STUDIES, action="append", help="may be repeated")
    parser.add_argument("--workers", type=int, help="by default one for each core")
    parser.add_argument("--redraw", action="store_true", help="only draw the plots again")
    parser.add_argument("--out", type=Path, default=DOCS)
    arguments = parser.parse_args()
    for name in arguments.only or STUDIES:
        if arguments.redraw:
            redraw(STUDIES[name], arguments.out / name)
            continue
        run = ROOT / "runs" / f"study-{name}"
        command = [sys.executable, "-m", "defiance_zoo", "study", STUDIES[name], "--out", run]
        if arguments.workers:
            command += ["--workers", str(arguments.workers)]
        status = subprocess.run(command, check=False).returncode
        if status:
            sys.exit(status)
        publish(run, arguments.out / name)


if __name__ == "__main__":
    main()
