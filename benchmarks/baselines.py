# SPDX-License-Identifier: GPL-2.0-only
"""Train and evaluate with three seeds, beside the policies that do not learn.

    python -m benchmarks.baselines [--quick] [--only NAME] [--jobs N] [--out FOLDER]

Each file of benchmarks/runs/ is a run of `defiance-zoo train`, as it is but for the seed. The
confidence interval of a trained policy is that of its mean over the seeds; of another one, over the
episodes, which are the same for all seeds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.report import RESULTS, load, save
from defiance_zoo.training.evaluation import TRAINED, Estimate

FOLDER = Path(__file__).parent / "runs"
RUNS = {path.stem: path for path in sorted(FOLDER.glob("*.yaml"))}
SEEDS = (1, 2, 3)
OUT = Path(__file__).parents[1] / "runs" / "baselines"


def train(name: str, seed: int, quick: bool) -> dict[str, Any]:
    """Train with one seed; return what the evaluation found, and the wall time."""
    out = OUT / f"{name}_{seed}"
    command = [sys.executable, "-m", "defiance_zoo", "train", RUNS[name], "--quiet", "--overwrite"]
    command += ["--seed", str(seed), "--out", out]
    if quick:
        command += ["--steps", "2000", "--evaluate-every", "2000", "--evaluation-episodes", "2"]
    began = time.perf_counter()
    subprocess.run(command, check=True)
    lasted = time.perf_counter() - began
    found: dict[str, Any] = json.loads((out / "evaluation.json").read_text())
    return {"policies": found["policies"], "wall_time_s": lasted}


def summary(runs: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return what the policies achieved: the trained one over runs, others over episodes."""
    policies = dict(runs[0]["policies"])
    means = [run["policies"][TRAINED]["mean"] for run in runs]
    policies[TRAINED] = Estimate.of(means).to_json()
    results = {
        policy: {"mean_return": found["mean"], "ci95": found["ci95"][1] - found["mean"]}
        for policy, found in policies.items()
    }
    results[TRAINED]["wall_time_s"] = sum(run["wall_time_s"] for run in runs) / len(runs)
    results[TRAINED].update({f"seed_{seed}": mean for seed, mean in zip(SEEDS, means, strict=True)})
    return results


def main() -> None:
    """Train, evaluate, print, save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="hardly train, to try the command")
    parser.add_argument("--only", choices=RUNS, action="append", help="may be given again")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    chosen = arguments.only or list(RUNS)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        jobs = {
            name: [pool.submit(train, name, seed, arguments.quick) for seed in SEEDS]
            for name in chosen
        }
        kept = arguments.out / "baselines.json"
        results = load("baselines", arguments.out)["results"] if kept.exists() else {}
        results = {case: figures for case, figures in results.items() if case.split(",")[0] in RUNS}
        for name, runs in jobs.items():
            for policy, figures in summary([run.result() for run in runs]).items():
                results[f"{name}, {policy}"] = figures
                print(
                    f"{name:22} {policy:22} {figures['mean_return']:7.1f} ± {figures['ci95']:.1f}"
                )
            save("baselines", "make baselines", results, arguments.out)


if __name__ == "__main__":
    main()
