# SPDX-License-Identifier: GPL-2.0-only
"""Run the committed study of cart_pole_v0, and put its table and its plots into the docs.

    python -m benchmarks.study [--workers N] [--out FOLDER]

What the study's folder in runs/ holds already is not run again.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
STUDY = Path(__file__).parent / "studies" / "cart_pole_v0.yaml"
RUN = ROOT / "runs" / "study-cart_pole_v0"
DOCS = ROOT / "docs" / "studies" / "cart_pole_v0"


def publish(study: Path, out: Path) -> None:
    """Copy what the docs show of a study."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for path in (study / "cells.csv", study / "versions.json", *(study / "plots").glob("*.png")):
        shutil.copyfile(path, out / path.name)


def main() -> None:
    """Run, and publish."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--workers", type=int, help="by default one for each core")
    parser.add_argument("--out", type=Path, default=DOCS)
    arguments = parser.parse_args()
    command = [sys.executable, "-m", "defiance_zoo", "study", STUDY, "--out", RUN]
    if arguments.workers:
        command += ["--workers", str(arguments.workers)]
    status = subprocess.run(command, check=False).returncode
    if status:
        sys.exit(status)
    publish(RUN, arguments.out)


if __name__ == "__main__":
    main()
