# SPDX-License-Identifier: GPL-2.0-only
"""Train and evaluate on cart_pole_v0, with three seeds, beside the policies that do not learn.

    python -m benchmarks.baselines [--quick] [--out FOLDER]

Each seed is one run of the demo, examples/sb3_ppo_cart_pole.py, as it is. The confidence interval
of a trained policy is that of its mean over the seeds; of another one, over the episodes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.report import save

ROOT = Path(__file__).parents[1]
SEEDS = (1, 2, 3)
TRAINED = "PPO, trained"


def demo(seed: int, out: Path, quick: bool) -> dict[str, list[float]]:
    """Run the demo with one seed; return each policy's returns, and the wall time."""
    command = [sys.executable, ROOT / "examples" / "sb3_ppo_cart_pole.py", "--out", out]
    command += ["--seed", str(seed), *(["--total-steps", "512"] if quick else [])]
    began = time.perf_counter()
    subprocess.run(command, check=True)
    returns: dict[str, list[float]] = json.loads((out / "evaluation.json").read_text())
    returns["wall_time_s"] = [time.perf_counter() - began]
    return returns


def summary(values: list[float]) -> dict[str, float]:
    """Return mean and the half width of its 95 % confidence interval (Student's t)."""
    width = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    return {"mean": float(np.mean(values)), "ci95": float(np.nan_to_num(width))}


def main() -> None:
    """Train, evaluate, print, save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="hardly train, to try the command")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    runs = [demo(seed, ROOT / "runs" / f"baselines_{seed}", arguments.quick) for seed in SEEDS]
    means = [float(np.mean(run[TRAINED])) for run in runs]
    results: dict[str, Any] = {
        TRAINED: {**summary(means), "mean_of_each_seed": dict(zip(SEEDS, means, strict=True))},
        **{
            policy: summary(runs[0][policy])
            for policy in runs[0]
            if policy not in (TRAINED, "wall_time_s")
        },
        "wall time of a run": summary([run["wall_time_s"][0] for run in runs]),
    }
    for name, figures in results.items():
        print(f"{name:28} {figures['mean']:8.1f} ± {figures['ci95']:.1f}")
    print("saved as", save("baselines", "make baselines", results, arguments.out))


if __name__ == "__main__":
    main()
