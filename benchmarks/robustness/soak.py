# SPDX-License-Identifier: GPL-2.0-only
"""Look for leaks over thousands of resets and snapshots.

    python -m benchmarks.robustness.soak [--resets N] [--snapshots N] [--link zmq|local]
                                         [--out FOLDER]

Memory, descriptors, threads and processes are sampled during the run. They are flat if

- there are no more descriptors, threads and processes in the second half than in the first, as
leaks would accumulate;
- the median memory of the last fifth of the samples exceeds the second fifth's by less than 1 MB.
  With 100,000 resets, 60,000 are between the two fifths, so a leak of 17 bytes each is detected:
      less than the smallest Python object. With 10,000 snapshots, the numbers are 6,000 and 167
      bytes. Allocators keep the memory that they take in the first fifth.

The exit status is 0 if all figures are flat.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from benchmarks.measuring.processes import fork_servers, simulations
from benchmarks.measuring.result_files import RESULTS, save
from defiance_zoo.environments import lookup

SPEC = lookup("cart_pole_v0")
SAMPLES = 200
FEWEST = 10
HELD = 8
"""Number of snapshots that exist at a time."""
Sample = dict[str, float]
COUNTS = ("descriptors", "threads", "processes")
MEMORY = ("python_rss_mb", "server_rss_mb")
ALLOWED_MB = 1.0


def sample(done: int) -> Sample:
    """Return the resources that this process and its fork server use."""
    gc.collect()
    python = psutil.Process()
    (server,) = fork_servers()
    mine, its = python.memory_full_info(), server.memory_full_info()
    return {
        "done": done,
        "python_rss_mb": mine.rss / 1e6,
        "python_pss_mb": mine.pss / 1e6,
        "server_rss_mb": its.rss / 1e6,
        "server_pss_mb": its.pss / 1e6,
        "descriptors": python.num_fds() + server.num_fds(),
        "threads": python.num_threads() + server.num_threads(),
        "processes": len(simulations()),
    }


def growth(samples: list[Sample]) -> dict[str, float]:
    """Return each figure's growth from the second fifth of the samples to the last fifth."""
    fifth = len(samples) // 5
    return {
        name: float(
            np.median([each[name] for each in samples[-fifth:]])
            - np.median([each[name] for each in samples[fifth : 2 * fifth]])
        )
        for name in samples[0]
        if name != "done"
    }


def is_flat(samples: list[Sample]) -> bool:
    """Return whether nothing grows; the module's text has the criterion."""
    half = len(samples) // 2
    counts_grow = any(
        max(each[name] for each in samples[half:]) > max(each[name] for each in samples[:half])
        for name in COUNTS
    )
    grown = growth(samples)
    return not counts_grow and all(grown[name] < ALLOWED_MB for name in MEMORY)


def soak(what: str, count: int, do: Callable[[], None]) -> list[Sample]:
    """Repeat a function; return the samples, beginning after a few calls."""
    every = max(1, count // SAMPLES)
    samples = []
    began = time.perf_counter()
    for done in range(1, count + 1):
        do()
        if done % every == 0:
            samples.append(sample(done))
        if done % max(1, count // 10) == 0:
            seconds = time.perf_counter() - began
            print(f"{what}: {done} of {count} in {seconds:.0f} s, {samples[-1]}", flush=True)
    return samples


def resets(env: Any, count: int) -> list[Sample]:
    """Reset repeatedly in the middle of an episode."""

    def reset() -> None:
        env.reset()
        env.step(0)

    return soak("resets", count, reset)


def snapshots(env: Any, count: int) -> list[Sample]:
    """Take snapshots, return to the oldest one held, and release it."""
    env.reset(seed=1)
    held = [env.snapshot() for _ in range(HELD)]

    def turn() -> None:
        oldest = held.pop(0)
        env.restore(oldest)
        oldest.release()
        held.append(env.snapshot())
        env.step(0)

    return soak("snapshots", count, turn)


def main() -> None:
    """Soak, judge, save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--resets", type=int, default=100_000)
    parser.add_argument("--snapshots", type=int, default=10_000)
    parser.add_argument("--link", choices=("zmq", "local"), default="local")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    if min(arguments.resets, arguments.snapshots) < FEWEST:
        parser.error(f"fewer than {FEWEST} cannot be judged")
    kinds: dict[str, tuple[Callable[[Any, int], list[Sample]], int]] = {
        "resets": (resets, arguments.resets),
        "snapshots": (snapshots, arguments.snapshots),
    }
    results: dict[str, Any] = {}
    samples = {}
    for what, (run, count) in kinds.items():
        env = SPEC.raw_env(link=arguments.link)
        env.reset(seed=1)
        samples[what] = run(env, count)
        env.close()
        results[what] = {"count": count, **growth(samples[what]), "flat": is_flat(samples[what])}
        print(f"{what}:", "flat" if results[what]["flat"] else "NOT FLAT", results[what])
    print("saved as", save("soak", "make soak", results, arguments.out, samples=samples))
    sys.exit(not all(result["flat"] for result in results.values()))


if __name__ == "__main__":
    main()
