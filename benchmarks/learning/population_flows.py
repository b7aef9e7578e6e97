# SPDX-License-Identifier: GPL-2.0-only
"""TCP flows of a population and of a single policy, compared with NewReno, CUBIC and BBR.

    python -m benchmarks.learning.population_flows [--quick] [--out FOLDER]

For each of three seeds, a population is grown from ns-3's algorithms, and a single policy that
plays both flows is trained for as many decisions. Against each of these two, a best response is
trained for as many decisions as the population's best responses. Link shares and gains are from the
cells of the payoff tables. Policies in runs/populations/ are not trained again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.learning.growing import (
    FOLDER,
    SEEDS,
    call,
    grow,
    out_folder,
    read_source,
    write_source,
)
from benchmarks.measuring.command import read_arguments
from benchmarks.measuring.result_files import save
from benchmarks.measuring.timing import Figures, Results
from defiance_zoo.experiments.workbench.descriptions import read_yaml
from defiance_zoo.experiments.workbench.estimates import Estimate
from defiance_zoo.population.games.normal_form import Floats
from defiance_zoo.population.payoff_table import PayoffTable, read_table
from defiance_zoo.population.running.state import read_generations

NAME = "tcp_congestion_v0"
ALGORITHMS = {"newreno": "NewReno", "cubic": "CUBIC", "bbr": "BBR"}
POPULATION, LONE = "a population", "a lone policy"
RATE_BPS, SECONDS = 2e6, 6.0
"""Rate of the bottleneck and duration of an episode, as in the file."""

Mixture = Mapping[str, float]
"""Probabilities by policy."""


def train_lone(seed: int, quick: bool) -> Path:
    """Train the policy in self-play; return its folder."""
    out = out_folder(quick) / f"{NAME}_lone_{seed}"
    if quick or not (out / "evaluation.json").is_file():
        source = write_source(read_yaml(FOLDER / "runs" / f"{NAME}.yaml"), out)
        given = ["--seed", seed, "--out", out, "--quiet", "--overwrite"]
        few = ["--steps", "512", "--evaluation-episodes", "1"] if quick else []
        call("train", source, *given, *few)
    return out


def exploit(population: Path, quick: bool) -> float:
    """Return the gain of a best response over a population, over both seats."""
    known = population / "exploitability.json"
    if quick or not known.is_file():
        few = ["--steps", "1", "--episodes", "1"] if quick else []
        call("population", "exploit", population, "--quiet", "--workers", "0", *few)
    return float(json.loads(known.read_text())["nash_conv_lower_bound"])


def play_one(seed: int, quick: bool) -> Results:
    """Train with one seed; return the figures of each pair of flows."""
    source = read_source(NAME)
    population = grow(NAME, source, seed, quick)
    lone = train_lone(seed, quick)
    begins = {
        "initial": {"flow": [{"run": str(lone.resolve())}]},
        "best_response": {**source["best_response"], "initialisation": "random"},
        "generations": 1,
    }
    # The only generation measures the gain of a best response over the policy.
    answered = grow(f"{NAME}_answered", {**source, **begins}, seed, quick)
    table = read_table(population / "payoffs.json")
    last = read_generations(population)[-1]
    names = [each["name"] for each in last["populations"]["flow"]]
    mixture = dict(zip(names, last["mixtures"]["flow"], strict=True))
    first = read_generations(answered)[-1]
    alone = first["populations"]["flow"][0]["name"]
    against = read_table(answered / "payoffs.json")
    results = {
        POPULATION: {**_share(table, mixture, mixture), "gain": exploit(population, quick)},
        LONE: {
            **_share(against, {alone: 1.0}, {alone: 1.0}),
            "gain": first["figures"]["response_gain"],
        },
    }
    for name, written in ALGORITHMS.items():
        own = _payoff(table, {name: 1.0}, {name: 1.0})
        best = max(_payoff(table, {other: 1.0}, {name: 1.0}) for other in names)
        results[written] = {
            **_share(table, {name: 1.0}, {name: 1.0}),
            "gain": 2 * (best - own),  # of the best of all policies in the table
        }
        results[f"{POPULATION} beside {written}"] = _share(table, mixture, {name: 1.0})
    return results


def _payoff(table: PayoffTable, rows: Mixture, columns: Mixture) -> float:
    """Return the payoffs per decision of rows against columns."""
    payoffs = table.matrix(list(rows), list(columns))
    return float(_weights(rows) @ payoffs @ _weights(columns))


def _share(table: PayoffTable, rows: Mixture, columns: Mixture) -> Figures:
    """Return the rates and the payoffs of two flows on the link."""
    measured: dict[str, Floats] = {}
    for name in ("jain", "received_bytes", "round_trip_time_ms"):
        known = [[table.get((row, column)) for column in columns] for row in rows]
        values = [[cell.measures[name].mean if cell else np.nan for cell in line] for line in known]
        measured[name] = _weights(rows) @ np.array(values) @ _weights(columns)
    return {
        "payoff": _payoff(table, rows, columns),
        "jain": float(measured["jain"]),
        "used_share": float(8 * measured["received_bytes"] / (RATE_BPS * SECONDS)),
        "round_trip_ms": float(measured["round_trip_time_ms"]),
    }


def _weights(mixture: Mixture) -> Floats:
    return np.array(list(mixture.values()), np.float64)


def combine(runs: list[Results]) -> Results:
    """Return means over seeds, and the ends of their 95 % confidence intervals."""
    combined: Results = {}
    for case in runs[0]:
        figures = combined.setdefault(case, {})
        for figure in runs[0][case]:
            found = Estimate.of([each[case][figure] for each in runs])
            figures[figure] = found.mean
            if found.low is not None and found.high is not None:
                figures[f"{figure}_low"], figures[f"{figure}_high"] = found.low, found.high
    return combined


def main() -> None:
    """Train, compare, print, save."""
    arguments = read_arguments(__doc__)
    runs = []
    for seed in SEEDS[:1] if arguments.quick else SEEDS:
        runs.append(play_one(seed, arguments.quick))
        for case, figures in runs[-1].items():
            words = ", ".join(f"{figure} {value:.3f}" for figure, value in figures.items())
            print(f"seed {seed}: {case}: {words}", flush=True)
    beside: dict[str, Any] = {"repetitions": runs}
    save("population_flows", "make populations", combine(runs), arguments.out, **beside)


if __name__ == "__main__":
    main()
