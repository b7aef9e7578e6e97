# SPDX-License-Identifier: GPL-2.0-only
"""Train and evaluate with several seeds, and compare with hand-written policies.

    python -m benchmarks.learning.baselines [--quick] [--env ENV] [--only NAME] [--jobs N]
                                            [--out FOLDER]

Each file in benchmarks/runs/ or its folders is a run of `defiance-zoo train`, with other seeds.
Results and learning curves are saved for each environment. Confidence intervals of trained policies
are over seeds; those of other policies are over episodes, which are equal for all seeds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.learning.mean_learning_curve import combine
from benchmarks.measuring.result_files import RESULTS, load, save
from defiance_zoo.experiments.libraries import find_library
from defiance_zoo.experiments.training.evaluation import TRAINED
from defiance_zoo.experiments.workbench.descriptions import read_yaml
from defiance_zoo.experiments.workbench.estimates import Estimate

FOLDER = Path(__file__).parents[1] / "runs"
RUNS = {
    str(path.relative_to(FOLDER).with_suffix("")): path for path in sorted(FOLDER.rglob("*.yaml"))
}
SEEDS = (1, 2, 3, 4, 5)
THREE_SEEDS = (
    *("cart_pole/sb3_ppo", "handover_v1/sb3_ppo", "jamming/rllib_self_play", "jamming/sb3_ppo"),
    *("multi_access/sb3_ppo", "networked_cheetah/sb3_sac_window", "rllib_appo"),
    *("rllib_ppo_individual", "rllib_ppo_shared", "sb3_ppo", "sb3_ppo_20ms"),
    *("tcp_congestion/rllib_ppo_cooperative", "tcp_congestion/sb3_ppo_shared"),
    *("wifi_contention/rllib_ppo_competitive", "wifi_contention/rllib_ppo_cooperative"),
)
"""Runs with three seeds, whose rows have no interval."""

OUT = Path(__file__).parents[2] / "runs" / "baselines"
CLIENTS = Path(__file__).parents[2] / "build" / "clients"

WATCHED = {
    "jamming_v0": ("return/agent_0",),
    "wifi_contention_v0": ("info/agent_0/window",),
}
"""Metrics that are drawn over a training's decisions, besides the return."""

QUICK = OUT.with_name("baselines-quick")
"""The folder of short trial runs; leaderboards take the runs in `OUT`."""


def run_folder(name: str, seed: int, trained: Path = OUT) -> Path:
    """Return the folder of a training with a seed."""
    return trained / f"{name}_{seed}"


def seeds(name: str) -> tuple[int, ...]:
    """Return the seeds of a run's trainings."""
    return SEEDS[:3] if name in THREE_SEEDS else SEEDS


def environment(name: str) -> str:
    """Return the environment of a run."""
    env: str = read_yaml(RUNS[name])["env"]
    return env.rpartition(":")[2]


def interpreter(name: str) -> str | None:
    """Return the Python that trains a run, or None; libraries in CLIENTS are not in .venv."""
    library = find_library(read_yaml(RUNS[name]).get("library", "sb3"))
    if find_spec(library.modules[0]) is not None:
        return sys.executable
    own = CLIENTS / library.modules[0] / "bin" / "python"
    return str(own) if own.is_file() else None


def train(name: str, seed: int, quick: bool) -> dict[str, Any]:
    """Train with one seed; return the evaluation and the wall time."""
    out = run_folder(name, seed, QUICK if quick else OUT)
    command = [interpreter(name), "-m", "defiance_zoo", "train", RUNS[name]]
    command += ["--quiet", "--overwrite"]
    command += ["--seed", str(seed), "--out", out]
    if seed != SEEDS[0]:
        command += ["--no-baselines"]  # they play the same episodes for each seed
    if quick:
        command += ["--steps", "2000", "--evaluate-every", "2000", "--evaluation-episodes", "2"]
    began = time.perf_counter()
    subprocess.run(command, check=True)
    lasted = time.perf_counter() - began
    found: dict[str, Any] = json.loads((out / "evaluation.json").read_text())
    return {"policies": found["policies"], "wall_time_s": lasted}


def summary(runs: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return the policies' results: over runs for the trained policy, over episodes for others."""
    policies = dict(runs[0]["policies"])
    means = [run["policies"][TRAINED]["mean"] for run in runs]
    policies[TRAINED] = Estimate.of(means).to_json()
    results = {
        policy: {"mean_return": found["mean"], "ci95": found["ci95"][1] - found["mean"]}
        for policy, found in policies.items()
    }
    results[TRAINED]["wall_time_s"] = sum(run["wall_time_s"] for run in runs) / len(runs)
    results[TRAINED].update({f"seed_{seed}": mean for seed, mean in enumerate(means, 1)})
    return results


def curves(name: str, trained: Path) -> dict[str, Any]:
    """Return the learning curves of the return and of other metrics of a training."""
    folders = [run_folder(name, seed, trained) for seed in seeds(name)]
    found = {name: asdict(combine(folders))}
    for metric in WATCHED.get(environment(name), ()):
        found[f"{name}, {metric}"] = asdict(combine(folders, [metric]))
    return found


def main() -> None:
    """Train, evaluate, print, save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="train briefly, to try the command")
    known = sorted({environment(name) for name in RUNS})
    parser.add_argument("--env", choices=known, help="only runs of this environment")
    parser.add_argument("--only", choices=RUNS, action="append", help="may be repeated")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    chosen = [
        name
        for name in arguments.only or RUNS
        if arguments.env is None or environment(name) == arguments.env
    ]
    for name in [each for each in chosen if interpreter(each) is None]:
        print(f"{name}: its library is not installed ('make test-clients'): its results stay")
        chosen.remove(name)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        jobs = {
            name: [pool.submit(train, name, seed, arguments.quick) for seed in seeds(name)]
            for name in chosen
        }
        for name, runs in jobs.items():
            figures = summary([run.result() for run in runs])
            for policy, each in figures.items():
                print(f"{name:22} {policy:22} {each['mean_return']:7.1f} ± {each['ci95']:.1f}")
            rows = {f"{name}, {policy}": each for policy, each in figures.items()}
            keep("baselines", name, rows, arguments.out)
            trained = QUICK if arguments.quick else OUT
            keep("learning", name, curves(name, trained), arguments.out)


def keep(kind: str, name: str, rows: dict[str, Any], out: Path) -> None:
    """Add the results of a run to those of its environment."""
    env, folder = environment(name), out / kind
    known = load(env, folder)["results"] if (folder / f"{env}.json").exists() else {}
    others = {
        case: each
        for case, each in known.items()
        if (FOLDER / f"{case.split(',')[0]}.yaml").exists()  # including results added meanwhile
    }
    save(env, "make baselines", {**others, **rows}, folder)


if __name__ == "__main__":
    main()
