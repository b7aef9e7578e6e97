# SPDX-License-Identifier: GPL-2.0-only
"""Put the trained policies of leaderboards into the package, as policy files.

    python -m benchmarks.learning.pretrained [--only ENV] [--trained FOLDER]

For each environment whose spec names a policy file, the program takes the trained row with the
greatest mean, and the row's run with the best own evaluation, so the leaderboard does not select
the run. Only this run must be in FOLDER, with the evaluation of the saved results. The file
contains its run, row, versions and licence.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import onnx

from benchmarks.learning.baselines import OUT, run_folder, seeds
from benchmarks.measuring.result_files import RESULTS, load
from defiance_zoo.environments import lookup, registered
from defiance_zoo.experiments.study.leaderboard.board import Leaderboard, read_leaderboard
from defiance_zoo.experiments.training.checkpoints import BEST, Checkpoint, find_checkpoint
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.training.evaluation import TRAINED
from defiance_zoo.experiments.training.export.exporting import export_policy
from defiance_zoo.experiments.training.run_config_file import to_yaml

LICENCE = "GPL-2.0-only"
MOST_BYTES = 200_000


def environments() -> list[str]:
    """Return the names of the environments with a trained policy."""
    return [name for name in registered() if lookup(name).trained is not None]


def best_run(board: Leaderboard, rows: dict[str, Any], trained: Path) -> tuple[str, Checkpoint]:
    """Return the name of the best trained row, and the best checkpoint of its runs."""
    known = [name for name in board.config.trained if name in rows]
    row = max(known, key=lambda name: rows[name]["mean"])
    name = board.config.trained[row]
    saved = load(board.config.env, RESULTS / "baselines")["results"][f"{name}, {TRAINED}"]
    seed = max(seeds(name), key=lambda each: saved[f"seed_{each}"])
    run = run_folder(name, seed, trained)
    found, expected = evaluated(run), saved[f"seed_{seed}"]
    assert found == expected, f"{run} has the evaluation {found}, not {expected}: train it again"
    return row, find_checkpoint(run, BEST)


def evaluated(run: Path) -> float:
    """Return the result of a run in its own evaluation."""
    found = json.loads((run / "evaluation.json").read_text())
    return float(found["policies"][TRAINED]["mean"])


def portable(config: RunConfig) -> RunConfig:
    """Return the run without the folder of its labels, which exists only on this machine."""
    teacher = config.teacher and config.teacher.model_copy(update={"folder": None})
    return config.model_copy(update={"teacher": teacher})


def write(env: str, trained: Path) -> None:
    """Write the policy file of an environment, and print its facts."""
    path = lookup(env).trained
    assert path is not None
    document = load(env, RESULTS / "leaderboard")
    row, checkpoint = best_run(read_leaderboard(env), document["results"], trained)
    export_policy(checkpoint.config, checkpoint.trainer, path)
    result = document["results"][row]
    model = onnx.load_model_from_string(path.read_bytes())
    known = {each.key: each.value for each in model.metadata_props}
    properties = {
        "run": to_yaml(portable(checkpoint.config)),
        "leaderboard": json.dumps({"row": row, "mean": result["mean"], "ci95": result["ci95"]}),
        "versions": json.dumps(result["versions"]),
        "license": LICENCE,
    }
    onnx.helper.set_model_props(model, {**known, **properties})
    path.write_bytes(model.SerializeToString())
    size = path.stat().st_size
    assert size <= MOST_BYTES, f"{path} has {size} bytes"
    print(f"{env}: {row}, seed {checkpoint.config.seed}, {size:,} bytes")


def main() -> None:
    """Write all policy files, or one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=environments(), action="append", help="may be repeated")
    parser.add_argument("--trained", type=Path, default=OUT, help="where runs are")
    arguments = parser.parse_args()
    for env in arguments.only or environments():
        write(env, arguments.trained)


if __name__ == "__main__":
    main()
