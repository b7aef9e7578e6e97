# SPDX-License-Identifier: GPL-2.0-only
"""Populations whose equilibria are known, and what a generation takes.

    python -m benchmarks.populations [--quick] [--out FOLDER]

Each of benchmarks/populations/ that has a known equilibrium is grown with three seeds, from the
same command as a user's. A population that runs/populations/ holds already is not grown again.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.command import read_arguments
from benchmarks.report import save
from benchmarks.timing import Figures, Results
from defiance_zoo.envs import jamming_v0
from defiance_zoo.envs.jamming.mixtures import equalise
from defiance_zoo.population.running.folder import read_generations

FOLDER = Path(__file__).parent / "populations"
OUT = Path(__file__).parents[1] / "runs" / "populations"
SEEDS = (1, 2, 3)


class Known(NamedTuple):
    """What is known of a game.

    Attributes:
        mixtures: Of the actions of each role.
        value: Of a seat of the first role.
    """

    mixtures: dict[str, Any]
    value: float


def measure_jamming(**arguments: Any) -> Known:
    """Return the closed form of the goodputs that ns-3 delivers, each channel without a jammer."""
    env = jamming_v0.parallel_env(link="local", **arguments)
    env.reset(seed=1)
    count = int(env.action_space("agent_0").n)
    goodputs = []
    for channel in range(count):
        *_, infos = env.step({"agent_0": channel, "agent_1": (channel + 1) % count})
        goodputs.append(infos["agent_0"]["goodput"])
    env.close()
    values = np.array(goodputs)
    played = equalise(values / values.max())  # what rewards count
    return Known({"transmitter": played.transmitter, "jammer": played.jammer}, played.value)


KNOWN: dict[str, Callable[[], Known]] = {
    "jamming_v0": lambda: measure_jamming(bandwidths="9,6,4"),
    "channel_rps_v0": lambda: Known({"radio": np.full(3, 1 / 3)}, 0.0),
    "channel_access_v0": lambda: Known({"radio": np.full(3, 1 / 3)}, 1 / 3),
}
"""By name of the population."""


def grow(name: str, seed: int, quick: bool) -> Path:
    """Grow a population, or what is left of it; return its folder."""
    out = (OUT.with_name("populations-quick") if quick else OUT) / f"{name}_{seed}"
    source = FOLDER / f"{name}.yaml"
    command = [sys.executable, "-m", "defiance_zoo", "population", "train", source, "--quiet"]
    command += ["--seed", str(seed), "--out", out, "--workers", "0"]
    if quick:
        text = source.read_text().replace("stop: {steps: 8192}", "stop: {steps: 512}")
        source = out.with_suffix(".yaml")
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        command[5] = source
        command += ["--generations", "1", "--overwrite"]
    if quick or not is_complete(out):
        subprocess.run([str(each) for each in command], check=True)
    return out


def is_complete(folder: Path) -> bool:
    """Whether a population has come to its end."""
    events = folder / "events.jsonl"
    if not events.is_file():
        return False
    return json.loads(events.read_text().splitlines()[-1])["event"] == "finished"


def compare(folder: Path, known: Known) -> Figures:
    """Return how far a population is from what is known, and what it took."""
    generations = read_generations(folder)
    last, trained = generations[-1], generations[1:]
    apart = [
        float(np.abs(np.array(last["actions"][role]) - mixture).max())
        for role, mixture in known.mixtures.items()
    ]
    value = last["figures"][f"value/{next(iter(known.mixtures))}"]
    seconds = {
        part: statistics.fmean(each["seconds"][part] for each in trained)
        for part in ("solve", "train", "play")
    }
    total = sum(seconds.values())
    return {
        "generations": last["generation"],
        "nash_conv": last["figures"]["nash_conv"],
        "mixture_apart": max(apart),
        "value": value,
        "known_value": known.value,
        "cells": last["cells"]["known"],
        "generation_s": total,
        "training_share": seconds["train"] / total,
        "playing_share": seconds["play"] / total,
        "solving_share": seconds["solve"] / total,
        "memory_growth_mb": last["figures"]["memory_mb"] - trained[0]["figures"]["memory_mb"],
    }


def main() -> None:
    """Grow, compare and save."""
    arguments = read_arguments(__doc__)
    results: Results = {}
    for name, find in KNOWN.items():
        known = find()
        for seed in SEEDS[:1] if arguments.quick else SEEDS:
            results[f"{name}, seed {seed}"] = compare(grow(name, seed, arguments.quick), known)
    print(save("populations", "python -m benchmarks.populations", results, arguments.out))


if __name__ == "__main__":
    main()
