# SPDX-License-Identifier: GPL-2.0-only
"""Measure speed on this machine.

    python -m benchmarks [--quick] [--only NAME] [--out FOLDER]

Each repetition measures all parts once, one after the other. Reported figures are medians over the
repetitions, so the figures of one run are comparable. Results are saved after each repetition.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.measuring.result_files import RESULTS, save
from benchmarks.measuring.timing import Effort, Results, median_of
from benchmarks.networks import access, environments, moving, traffic
from benchmarks.speed import (
    agents,
    allocators,
    cpu_time,
    drivers,
    exchange,
    growth,
    layers,
    plants,
    recording,
    resets,
    rollouts,
    scripting,
    snapshots,
    subsets,
    vectors,
    zoo_vectors,
)

BENCHMARKS: dict[str, Callable[[Effort], Results]] = {
    "exchange": exchange.measure,
    "layers": layers.measure,
    "cpu_time": cpu_time.measure,
    "agents": agents.measure,
    "subsets": subsets.measure,
    "growth": growth.measure,
    "allocators": allocators.measure,
    "resets": resets.measure,
    "recording": recording.measure,
    "scripting": scripting.measure,
    "plants": plants.measure,
    "snapshots": snapshots.measure,
    "vectors": vectors.measure,
    "zoo_vectors": zoo_vectors.measure,
    "environments": environments.measure,
    "traffic": traffic.measure,
    "access": access.measure,
    "moving": moving.measure,
    "drivers": drivers.measure,
    "rollouts": rollouts.measure,
}


def main() -> None:
    """Measure, print, save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="measure briefly, to try the command")
    parser.add_argument("--only", choices=BENCHMARKS, action="append", help="may be repeated")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    chosen = arguments.only or list(BENCHMARKS)
    repetitions: dict[str, list[Results]] = {name: [] for name in chosen}
    for number in range(1 if arguments.quick else 3):
        for name in chosen:
            began = time.perf_counter()
            repetitions[name].append(BENCHMARKS[name](Effort(arguments.quick)))
            took = time.perf_counter() - began
            print(f"repetition {number + 1}: {name} took {took:.1f} s", flush=True)
            done = repetitions[name]
            save(name, "make bench", median_of(done), arguments.out, repetitions=done)


if __name__ == "__main__":
    main()
