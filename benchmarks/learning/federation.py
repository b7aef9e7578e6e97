# SPDX-License-Identifier: GPL-2.0-only
"""Federated averaging over slow links: returns, and the cost of updates.

    python -m benchmarks.learning.federation [--quick] [--jobs N] [--out FOLDER]

Each run uses examples/federated_averaging.py: carts learn separately, and average their weights
    over links of several rates, after several periods or never. The return is the mean of the
evaluations in the second half of the simulated time. Figures are in simulated time, so they do not
depend on the machine's speed.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import multiprocessing
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.measuring.result_files import RESULTS, save
from benchmarks.measuring.timing import Effort, Figures, Results
from defiance_zoo.envs import cart_pole_v0
from defiance_zoo.experiments.learning import (
    Compressed,
    Delta,
    Encoding,
    Full,
    Half,
    Weights,
    as_weights,
    get_weights,
)
from defiance_zoo.experiments.workbench.estimates import Estimate

EXAMPLE = Path(__file__).parents[2] / "examples" / "federated_averaging.py"
RATES = ("10kbps", "50kbps", "250kbps", "10Mbps")
PERIODS_S = (1, 5, 25)
SEEDS = (1, 2, 3, 4, 5, 6)
DURATION_S = 100
EVALUATIONS = 10
ENCODINGS: dict[str, Encoding] = {
    "`Full()`": Full(),
    "`Half()`": Half(),
    "`Compressed(Full())`": Compressed(Full()),
    "`Compressed(Half())`": Compressed(Half()),
    "`Delta()`": Delta(),
    "`Delta(threshold=0.01)`": Delta(threshold=0.01),
}


def load_example() -> ModuleType:
    """Return the example as a module."""
    spec = importlib.util.spec_from_file_location(EXAMPLE.stem, EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[EXAMPLE.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def train(arguments: dict[str, Any]) -> tuple[Weights, dict[str, list[float]]]:
    """Run the example; return one trained agent, and the learning curve."""
    example = load_example()
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        learners, curve = example.train(example.Config(**arguments))
    return get_weights(learners["agent_0"].policy), curve


def second_half(values: list[float]) -> list[float]:
    """Return the evaluations of the second half."""
    return values[len(values) // 2 :]


def achieved(curves: list[dict[str, list[float]]]) -> Figures:
    """Return the results of runs that differ only in their seeds."""
    estimate = Estimate.of([float(np.mean(second_half(curve["return"]))) for curve in curves])
    assert estimate.high is not None
    return {
        "mean_return": estimate.mean,
        "ci95": estimate.high - estimate.mean,
        "rounds": float(np.mean([curve["rounds"][-1] for curve in curves])),
    }


def learn(effort: Effort, jobs: int) -> Iterator[tuple[str, Figures, dict[str, list[float]]]]:
    """Yield each case, its figures, and the mean learning curve."""
    duration = effort.of(DURATION_S, 2)
    evaluations = effort.of(EVALUATIONS, 2)
    cases: dict[str, dict[str, Any]] = {"never": {"period": 0.0}}
    for period in PERIODS_S if not effort.quick else (0.1,):
        for rate in RATES if not effort.quick else RATES[-2:]:
            cases[f"every {period} s, {rate}"] = {"period": period, "data_rate": rate}
    common = {"duration": duration, "evaluate_every": duration / evaluations}
    seeds = SEEDS[: effort.of(len(SEEDS), 2)]
    # Spawned, because learners' results must not depend on earlier work of this process.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        runs = {
            case: [pool.submit(train, {**common, **own, "seed": seed}) for seed in seeds]
            for case, own in cases.items()
        }
        for case, futures in runs.items():
            found = [future.result()[1] for future in futures]
            mean = np.mean([curve["return"] for curve in found], axis=0)
            yield case, achieved(found), {"seconds": found[0]["seconds"], "return": mean.tolist()}


def transfer_seconds(rate: str, sizes: dict[str, int]) -> dict[str, float]:
    """Return the durations of consecutive updates over a link with a rate."""
    env = cart_pole_v0.parallel_env(
        placement="local",
        training_server="central",
        restart_when_fallen=True,
        data_rate=rate,
        delay="10ms",
        duration="10min",
        link="local",
    )
    env.reset(seed=1)
    seconds: dict[str, float] = {}
    for case, size in sizes.items():
        for _ in range(25):  # until the connection is established
            env.step({"agent_0": 0})
        order = env.transfer("server_0", "agent_0", size)
        while (transfer := env.transfers[order.number]).under_way:
            env.step({"agent_0": 0})
        assert transfer.latency is not None
        seconds[case] = transfer.latency
    env.close()
    return seconds


def weigh(effort: Effort) -> Results:
    """Return updates' sizes and times by encoding: after 10 s of training, and 5 s later."""
    moments = effort.of(10, 1), effort.of(15, 2)
    alone = {"carts": 1, "period": 0.0, "evaluate_every": 1e9}
    base, weights = (as_weights(train({**alone, "duration": end})[0]) for end in moments)
    sizes = {name: len(each.encode(weights, base)) for name, each in ENCODINGS.items()}
    results: Results = {f"update, {name}": {"bytes": size} for name, size in sizes.items()}
    for rate in RATES:
        for name, seconds in transfer_seconds(rate, sizes).items():
            results[f"update, {name}"][f"{rate}_s"] = seconds
    return results


def main() -> None:
    """Measure, print, save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="train briefly, to try the command")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    effort = Effort(arguments.quick)
    results, curves = weigh(effort), {}
    for case, figures, curves[case] in learn(effort, arguments.jobs):
        results[case] = figures
        print(f"{case:20} {figures['mean_return']:6.1f} ± {figures['ci95']:.1f}", flush=True)
        save("federation", "make federation", results, arguments.out, curves=curves)


if __name__ == "__main__":
    main()
