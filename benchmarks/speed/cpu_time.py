# SPDX-License-Identifier: GPL-2.0-only
"""CPU time of both processes, while they exchange messages and while the policy computes."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import torch

from benchmarks.measuring.processes import cpu_s, only_simulation
from benchmarks.measuring.programs import EXCHANGE
from benchmarks.measuring.situations import CORE_EACH, ONE_CORE, UNPINNED, Situation
from benchmarks.measuring.timing import Effort, Figures, Results, time_each
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

THINKING_S = 0.005
PRODUCT_S = 0.006
PRODUCT_THREADS = 2


def nothing() -> None:
    """Decide at once."""


def think() -> None:
    """Keep one core busy, like a computing policy."""
    end = time.perf_counter() + THINKING_S
    while time.perf_counter() < end:
        pass


def per_step(situation: Situation, policy: Callable[[], None], steps: int) -> Figures:
    """Return CPU and wall microseconds per step of `policy` and `step()`."""
    with situation.placed():
        env = GymnasiumEnv(EXCHANGE, duration="3600s", **situation.arguments)
        env.reset(seed=1)
        situation.settle()
        simulation = only_simulation()

        def act() -> None:
            policy()
            env.step(3)

        time_each(act, 1 + steps // 10)
        before = time.process_time(), cpu_s(simulation), time.perf_counter()
        time_each(act, steps)
        after = time.process_time(), cpu_s(simulation), time.perf_counter()
        env.close()
    python, simulated, wall = ((b - a) / steps * 1e6 for a, b in zip(before, after, strict=True))
    return {
        "python_cpu_us": python,
        "simulation_cpu_us": simulated,
        "wall_us": wall,
        "cores_busy": (python + simulated) / wall,
    }


def find_product() -> Callable[[], object]:
    """Return a matrix product that takes about PRODUCT_S on PRODUCT_THREADS threads."""
    size = 512
    for _ in range(3):  # time grows with the third power of the size
        matrix = torch.rand(size, size)
        duration = time_each(lambda: matrix @ matrix, 20, warm_up=5).min()  # noqa: B023
        size = max(64, int(size * (PRODUCT_S / duration) ** (1 / 3)))
    matrix = torch.rand(size, size)
    return lambda: matrix @ matrix


def beside_product(situation: Situation, product: Callable[[], object], steps: int) -> Figures:
    """Return the duration of a product, alternately alone and before each step."""
    env = GymnasiumEnv(EXCHANGE, duration="3600s", **situation.arguments)
    env.reset(seed=1)

    def act() -> None:
        product()
        env.step(3)

    turns = 10
    alone, both = [], []
    for _ in range(turns):
        alone.append(time_each(product, steps // turns, warm_up=2))
        both.append(time_each(act, steps // turns, warm_up=2))
    env.close()
    alone_s, both_s = np.concatenate(alone).mean(), np.concatenate(both).mean()
    return {
        "product_ms": float(alone_s * 1e3),
        "product_and_step_ms": float(both_s * 1e3),
        "slowdown": float(both_s / alone_s),
    }


def measure(effort: Effort) -> Results:
    """Measure each situation, and the product where it has its own cores."""
    results = {}
    for situation in (*ONE_CORE, *CORE_EACH):
        plain = per_step(situation, nothing, effort.of(10_000, 200))
        results[f"steps, {situation.name}"] = plain
    for situation in (*ONE_CORE, *CORE_EACH):
        thinking = per_step(situation, think, effort.of(100, 10))
        results[f"5 ms of thinking, {situation.name}"] = thinking
    threads = torch.get_num_threads()
    torch.set_num_threads(PRODUCT_THREADS)
    product = find_product()
    for situation in UNPINNED:
        beside = beside_product(situation, product, effort.of(100, 20))
        results[f"two-thread matrix product, {situation.name}"] = beside
    torch.set_num_threads(threads)
    return results
