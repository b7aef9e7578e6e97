# SPDX-License-Identifier: GPL-2.0-only
"""The time and memory of snapshots and of returning to them."""

from __future__ import annotations

from typing import Any

import numpy as np
import psutil

from benchmarks.measuring import floors
from benchmarks.measuring.processes import simulations
from benchmarks.measuring.situations import UNPINNED
from benchmarks.measuring.timing import Effort, Figures, Results, Times, time_each
from benchmarks.speed.resets import SUBJECTS
from defiance_zoo.environments import EnvironmentSpec

STEPS = 5
"""From a snapshot to the return to it."""


def play(env: Any) -> None:
    """Decide a few times."""
    for _ in range(STEPS):
        env.step(0)


def times_of(
    spec: EnvironmentSpec, count: int, arguments: dict[str, Any]
) -> tuple[Times, Times, Times]:
    """Return durations of `snapshot()`, `restore()` and `branch()` in seconds, each (count,)."""
    snapshot_s, restore_s, branch_s = np.zeros((3, count))
    env = spec.raw_env(**arguments)
    env.reset(seed=1)
    for number in range(count):
        play(env)
        taken: list[Any] = []
        snapshot_s[number] = time_each(lambda: taken.append(env.snapshot()), 1)[0]  # noqa: B023
        play(env)
        restore_s[number] = time_each(lambda: env.restore(taken[0]), 1)[0]  # noqa: B023
        taken[0].release()
        others: list[Any] = []
        branch_s[number] = time_each(lambda: others.append(env.branch()), 1)[0]  # noqa: B023
        others[0].close()
        if number % 20 == 19:
            env.reset()  # episodes end at some time
    env.close()
    return snapshot_s, restore_s, branch_s


def memory(spec: EnvironmentSpec, arguments: dict[str, Any]) -> Figures:
    """Return a snapshot's memory, when it is taken and after more steps of the simulation."""
    env = spec.raw_env(**arguments)
    env.reset(seed=1)
    play(env)
    before = simulations()
    with env.snapshot():
        (frozen,) = simulations() - before
        fresh = _memory_mb(frozen)
        play(env)
        apart = _memory_mb(frozen)
    env.close()
    return {
        "uss_mb": fresh["uss"],
        "pss_mb": fresh["pss"],
        "uss_later_mb": apart["uss"],
        "pss_later_mb": apart["pss"],
    }


def _memory_mb(process: psutil.Process) -> Figures:
    info = process.memory_full_info()
    return {"uss": info.uss / 1e6, "pss": info.pss / 1e6}


def measure(effort: Effort) -> Results:
    """Measure a small and a large program, over both links."""
    results: Results = {}
    for name, (spec, size) in SUBJECTS.items():
        floor_ms = floors.fork_ms(size, effort.of(1000, 10))
        for situation in UNPINNED[:2]:
            given = situation.arguments
            snapshot, restore, branch = times_of(spec, effort.of(100, 3), given)
            results[f"{name}, {situation.link}"] = {
                "snapshot_ms": float(np.median(snapshot) * 1e3),
                "snapshot_p99_ms": float(np.quantile(snapshot, 0.99) * 1e3),
                "restore_ms": float(np.median(restore) * 1e3),
                "restore_p99_ms": float(np.quantile(restore, 0.99) * 1e3),
                "branch_ms": float(np.median(branch) * 1e3),
                "floor_fork_ms": floor_ms,
                **memory(spec, given),
            }
    return results
