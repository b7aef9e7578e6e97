# SPDX-License-Identifier: GPL-2.0-only
"""Run the committed studies, and put their tables and plots into the docs.

    python -m benchmarks.learning.study [--only NAME] [--workers N] [--out FOLDER]

Each file of benchmarks/studies/ is a study, but for those that are only to be tried (`_small`).
What the folder of a study in runs/ holds already is not run again. Trained policies are those that
`make baselines` has left in runs/baselines/.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.publishing.tables import STUDIES as DOCS

ROOT = Path(__file__).parents[2]
STUDIES = {
    path.stem: path
    for path in sorted((Path(__file__).parents[1] / "studies").glob("*.yaml"))
    if not path.stem.endswith("_small")
}


def publish(study: Path, out: Path) -> None:
    """Copy what the docs show of a study."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    plots = [each for each in (study / "plots").iterdir() if each.suffix in (".png", ".md")]
    for path in (study / "cells.csv", study / "versions.json", *plots):
        shutil.copyfile(path, out / path.name)


def main() -> None:
    """Run, and publish."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=STUDIES, action="append", help="may be given again")
    parser.add_argument("--workers", type=int, help="by default one for each core")
    parser.add_argument("--out", type=Path, default=DOCS)
    arguments = parser.parse_args()
    for name in arguments.only or STUDIES:
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
