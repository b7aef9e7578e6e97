# SPDX-License-Identifier: GPL-2.0-only
"""The time from one episode to the first observation of the next episode."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.measuring import floors
from benchmarks.measuring.processes import cpu_s, only_simulation
from benchmarks.measuring.programs import ALL_LIBRARIES, ALL_LIBRARIES_WIFI, EXCHANGE, with_defaults
from benchmarks.measuring.situations import UNPINNED
from benchmarks.measuring.timing import Effort, Results, Times, in_ms, time_each
from defiance_zoo.environments import EnvironmentSpec, lookup

SUBJECTS: dict[str, tuple[EnvironmentSpec, EnvironmentSpec]] = {
    "cart_pole_v0": (
        with_defaults(lookup("cart_pole_v0"), terminate_when_fallen=False),
        EXCHANGE,
    ),
    "wifi_contention_v0, 15 stations": (
        with_defaults(lookup("wifi_contention_v0"), stations=15),
        ALL_LIBRARIES_WIFI,
    ),
    "tcp_congestion_v0": (lookup("tcp_congestion_v0"), ALL_LIBRARIES),
    "all ns-3 libraries": (ALL_LIBRARIES, ALL_LIBRARIES),
    "all ns-3 libraries, Wi-Fi": (ALL_LIBRARIES_WIFI, ALL_LIBRARIES_WIFI),
}
"""The programs that are reset; each program can also measure bare forks of itself."""


def reset_times(spec: EnvironmentSpec, resets: int, arguments: dict[str, Any]) -> Times:
    """Return durations of resets in the middle of an episode, in seconds, shape (resets,)."""
    env = spec.raw_env(**arguments)
    env.reset(seed=1)
    times = np.zeros(resets)
    for number in range(resets):
        env.step(0)
        times[number] = time_each(env.reset, 1)[0]
    env.close()
    return times


def cold_times(spec: EnvironmentSpec, resets: int, arguments: dict[str, Any]) -> Times:
    """Return durations of environments' first resets, in seconds, shape (resets,)."""
    times = np.zeros(resets)
    for number in range(resets):
        env = spec.raw_env(**arguments)
        times[number] = time_each(env.reset, 1)[0]
        env.close()
    return times


def build_ms(spec: EnvironmentSpec, resets: int) -> float:
    """Return a forked simulation's median CPU time from its fork to its first decision.

    This time includes building the network, reaching the first decision, and copying pages. It
    excludes the fork, Python and waiting.
    """
    env = spec.raw_env(link="local", launch="fork")
    times = np.zeros(resets)
    for number in range(resets):
        env.reset(seed=1)
        times[number] = cpu_s(only_simulation())
    env.close()
    return float(np.median(times) * 1e3)


def measure(effort: Effort) -> Results:
    """Measure each way of starting an episode, with a small program and a large one."""
    results: Results = {}
    exec_ms = floors.exec_ms(effort.of(50, 2))
    for name, (spec, size) in SUBJECTS.items():
        floor = {
            "floor_fork_ms": floors.fork_ms(size, effort.of(1000, 10)),
            "floor_exec_ms": exec_ms,
            "load_ms": floors.load_ms(spec, effort.of(20, 2)),
        }
        build = build_ms(spec, effort.of(50, 2))
        for situation in UNPINNED[:2]:
            given = situation.arguments
            cold = cold_times(spec, effort.of(10, 2), given)
            spawned = reset_times(spec, effort.of(20, 2), {**given, "launch": "spawn"})
            forked = reset_times(spec, effort.of(200, 5), {**given, "launch": "fork"})
            results[f"{name}, first, {situation.link}"] = {**in_ms(cold), **floor}
            results[f"{name}, spawned, {situation.link}"] = {**in_ms(spawned), **floor}
            results[f"{name}, forked, {situation.link}"] = {
                **in_ms(forked),
                **floor,
                "build_ms": build,
                "to_floor": float(np.median(forked) * 1e3) / (floor["floor_fork_ms"] + build),
            }
    return results
