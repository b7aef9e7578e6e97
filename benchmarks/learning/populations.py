# SPDX-License-Identifier: GPL-2.0-only
"""Populations with known equilibria, and the cost of generations.

    python -m benchmarks.learning.populations [--quick] [--out FOLDER]

Each population is grown with three seeds. In games of one decision, all actions are probes, so
NashConv is exact. Populations in runs/populations/ are not grown again.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.learning.growing import SEEDS, grow, read_source
from benchmarks.measuring.command import read_arguments
from benchmarks.measuring.result_files import save
from benchmarks.measuring.timing import Figures, Results
from defiance_zoo.envs import channel_rps_v0, jamming_v0
from defiance_zoo.envs.jamming.mixtures import equalise
from defiance_zoo.population.running.state import read_generations

BANDWIDTHS = "9,6,4"
MEMORY_AFTER = (5, 10, 15, 20)
"""Generations for which the memory is reported."""


class Known(NamedTuple):
    """The known facts of a game.

    Attributes:
        value: Value per decision for a seat of the first role.
        mixtures: Mixtures of the actions of each role.
    """

    value: float
    mixtures: dict[str, Any]


def measure_jamming() -> tuple[Known, list[float]]:
    """Return the closed form for ns-3's undisturbed goodputs, and the goodputs in Mb/s."""
    env = jamming_v0.parallel_env(link="local", bandwidths=BANDWIDTHS)
    env.reset(seed=1)
    count = int(env.action_space("agent_0").n)
    goodputs = []
    for channel in range(count):
        *_, infos = env.step({"agent_0": channel, "agent_1": (channel + 1) % count})
        goodputs.append(float(infos["agent_0"]["goodput"]))
    env.close()
    values = np.array(goodputs)
    played = equalise(values / values.max())  # the unit of rewards
    known = Known(played.value, {"transmitter": played.transmitter, "jammer": played.jammer})
    return known, goodputs


def measure_circle() -> list[list[float]]:
    """Return the payoffs of all pairs of settings of channel_rps_v0 in ns-3."""
    env = channel_rps_v0.parallel_env(link="local")
    env.reset(seed=1)
    count = int(env.action_space("agent_0").n)
    payoffs = []
    for own in range(count):
        pairs = ({"agent_0": own, "agent_1": other} for other in range(count))
        payoffs.append([float(env.step(pair)[1]["agent_0"]) for pair in pairs])
    env.close()
    return payoffs


def find_known() -> tuple[dict[str, Known], Results]:
    """Return the known facts of each population's game, and the necessary measurements."""
    jamming, goodputs = measure_jamming()
    circle = measure_circle()
    known = {
        "biased_rps_v0": Known(0.0, {"player": np.array([1 / 2, 1 / 3, 1 / 6])}),
        "jamming_v0": jamming,
        "channel_rps_v0": Known(0.0, {"radio": np.full(3, 1 / 3)}),
        "channel_access_v0": Known(1 / 3, {"radio": np.full(3, 1 / 3)}),
        # In a repeated zero-sum game, each player can limit the other to the value of a slot.
        "jamming_v0_repeated": Known(jamming.value, {}),
    }
    results: Results = {"goodputs": dict(zip(("a", "b", "c"), goodputs, strict=True))}
    for own, row in enumerate(circle):
        results[f"setting {own}"] = {f"against_{other}": value for other, value in enumerate(row)}
    return known, results


def compare(folder: Path, known: Known) -> Figures:
    """Return the distance of a population from the known equilibrium."""
    last = read_generations(folder)[-1]
    figures = last["figures"]
    apart = [
        float(np.abs(np.array(last["actions"][role]) - mixture).max())
        for role, mixture in known.mixtures.items()
    ]
    role = next(iter(last["mixtures"]))
    return {
        "generations": last["generation"],
        "nash_conv": figures["nash_conv"],
        "response_gain": figures["response_gain"],
        **({"mixture_apart": max(apart)} if apart else {}),
        "value": figures[f"value/{role}"],
        "known_value": known.value,
    }


def take(folders: list[Path]) -> Figures:
    """Return the cost of a generation, averaged over populations."""
    trained = [each for folder in folders for each in read_generations(folder)[1:]]
    parts = ("train", "play", "solve")
    seconds = {part: statistics.fmean(each["seconds"][part] for each in trained) for part in parts}
    total = sum(seconds.values())
    return {
        "generation_s": total,
        **{f"{part}_share": seconds[part] / total for part in parts},
        "cells": statistics.fmean(each["cells"]["played"] for each in trained),
        "memory_mb": max(each["figures"]["memory_mb"] for each in trained),
    }


def grow_long(library: str, quick: bool) -> Figures:
    """Return a process's memory in MB, over twenty generations of rock, paper, scissors."""
    source = read_source("biased_rps_v0")
    if library == "sb3":
        given = {"n_steps": 10, "batch_size": 640, "n_epochs": 4, "learning_rate": 0.02}
        source["best_response"].update(library="sb3", hyperparameters={**given, "gamma": 0.0})
    config = {**source, "nash_conv": None, "stop": {"steps": 1280}, "generations": MEMORY_AFTER[-1]}
    generations = read_generations(grow(f"long_{library}", config, SEEDS[0], quick))
    memory = [each["figures"]["memory_mb"] for each in generations]
    return {f"after_{number}": memory[min(number, len(memory) - 1)] for number in MEMORY_AFTER}


def measure(quick: bool, report: Callable[[str, Figures], None]) -> Results:
    """Grow all populations, and compare them with the known equilibria."""
    known, results = find_known()
    seeds = SEEDS[:1] if quick else SEEDS
    for name in list(known)[:: 4 if quick else 1]:
        source = read_source(name)
        folders = []
        for seed in seeds:
            folders.append(grow(name, source, seed, quick))
            results[f"{name}, seed {seed}"] = compare(folders[-1], known[name])
            report(f"{name}, seed {seed}", results[f"{name}, seed {seed}"])
        results[f"{name}, a generation"] = take(folders)
    for library in ("rllib", "sb3")[1 if quick else 0 :]:
        results[f"memory, {library}"] = grow_long(library, quick)
    return results


def main() -> None:
    """Grow, compare, print, save."""
    arguments = read_arguments(__doc__)

    def report(name: str, figures: Figures) -> None:
        words = ", ".join(f"{figure} {value:.3f}" for figure, value in figures.items())
        print(name, words, flush=True)

    results = measure(arguments.quick, report)
    save("populations", "make populations", results, arguments.out)


if __name__ == "__main__":
    main()
