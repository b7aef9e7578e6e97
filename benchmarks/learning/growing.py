# SPDX-License-Identifier: GPL-2.0-only
"""Growth of the populations in benchmarks/populations/ by the command `defiance-zoo`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from defiance_zoo.experiments.workbench.descriptions import read_yaml

FOLDER = Path(__file__).parents[1] / "populations"
OUT = Path(__file__).parents[2] / "runs" / "populations"
QUICK = OUT.with_name("populations-quick")
"""The folder of populations for trials."""

SEEDS = (1, 101, 201)
"""Seeds that are far apart, so populations play different episodes."""

_SUPPORT = Path(__file__).parents[2] / "tests" / "support"
"""The module of matrix games."""


def out_folder(quick: bool) -> Path:
    """Return the folder of populations."""
    return QUICK if quick else OUT


def read_source(name: str) -> dict[str, Any]:
    """Return the population in a file of benchmarks/populations/."""
    return read_yaml(FOLDER / f"{name}.yaml")


def grow(name: str, config: Mapping[str, Any], seed: int, quick: bool) -> Path:
    """Grow a population, or complete it; return its folder.

    Args:
        name: Name of the population and, with the seed, of its folder.
        config: Description from its file.
        seed: Seed of training and matches.
        quick: Train briefly, in a new folder.
    """
    out = out_folder(quick) / f"{name}_{seed}"
    if quick:
        config = {**config, "stop": {"steps": 1}, "generations": 1, "episodes": 1}
    if not quick and _is_complete(out):
        return out
    if not quick and (out / "population.yaml").is_file():
        call("population", "resume", out, "--quiet", "--workers", "0")
        return out
    source = write_source(config, out)
    given = ["--quiet", "--overwrite", "--workers", "0", "--seed", seed, "--out", out]
    call("population", "train", source, *given)
    return out


def write_source(config: Mapping[str, Any], out: Path) -> Path:
    """Write the description next to a folder, and return its path; JSON is YAML."""
    path = out.with_suffix(".yaml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(config, indent=1) + "\n")
    return path


def call(*arguments: str | int | Path) -> None:
    """Call `defiance-zoo`."""
    paths = [str(_SUPPORT), *filter(None, [os.environ.get("PYTHONPATH")])]
    command = [sys.executable, "-m", "defiance_zoo", *map(str, arguments)]
    subprocess.run(command, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, check=True)


def _is_complete(folder: Path) -> bool:
    """Return whether a population is complete."""
    events = folder / "events.jsonl"
    if not events.is_file():
        return False
    return bool(json.loads(events.read_text().splitlines()[-1])["event"] == "finished")
