# SPDX-License-Identifier: GPL-2.0-only
"""One Python driver with many waiting simulations, as if each computed on its own core.

Before each round, a simulation sleeps as long as a scenario's step would compute. With enough
cores, n simulations would ideally make n / wait steps per second. The difference is the cost of the
driver, and here also of the simulations' part of the exchange, which competes with the driver for
the cores. With separate cores, the driver's CPU time per step bounds its speed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.measuring.programs import EXCHANGE
from benchmarks.measuring.registered_programs import NAME
from benchmarks.measuring.timing import Effort, Figures, Results
from defiance_zoo.wrappers.sb3 import make_vec_env

COUNTS = (8, 32, 128, 256)
WAITS_MS = (1, 5, 20)
AGENTS = 10
SECONDS = 1.0
"""Duration of each measurement, after a warm-up of a fifth."""


@dataclass(frozen=True)
class Driver:
    """A vector of simulations under measurement.

    Attributes:
        steps: Steps of simulations in a call of `step`.
        step: Takes a step, or several.
        close: Ends the simulations.
    """

    steps: int
    step: Callable[[], object]
    close: Callable[[], object]


def vector(count: int, arguments: dict[str, Any]) -> Driver:
    """Steps all simulations at a time."""
    env = EXCHANGE.vector_env(count, **arguments)
    env.reset(seed=1)
    actions = np.full(count, 3)
    return Driver(count, lambda: env.step(actions), env.close)


def ready(count: int, arguments: dict[str, Any]) -> Driver:
    """Steps an eighth of the simulations at a time: those that are ready first."""
    size = count // 8
    env = EXCHANGE.vector_env(count, batch_size=size, **arguments)
    env.reset(seed=1)
    env.send(np.full(count, 3))
    actions = np.full(size, 3)

    def step() -> None:
        *_, infos = env.recv()
        env.send(actions, infos["env_id"])

    return Driver(size, step, env.close)


def multi_agent(count: int, arguments: dict[str, Any]) -> Driver:
    """Steps all simulations at a time, each with several agents."""
    env = EXCHANGE.multi_agent_vector_env(count, agents=AGENTS, **arguments)
    env.reset(seed=1)
    actions = np.full((count, AGENTS), 3)
    return Driver(count, lambda: env.step(actions), env.close)


def sb3(count: int, arguments: dict[str, Any]) -> Driver:
    """This package's `VecEnv` for SB3, without learning."""
    env = make_vec_env(NAME, n_envs=count, seed=1, **arguments)
    env.reset()
    actions = np.full(count, 3)
    return Driver(count, lambda: env.step(actions), env.close)


DRIVERS: dict[str, Callable[[int, dict[str, Any]], Driver]] = {
    "`vector_env()`": vector,
    "`send()` and `recv()` of an eighth": ready,
    f"`multi_agent_vector_env()`, {AGENTS} agents": multi_agent,
    "SB3, `make_vec_env()`": sb3,
}


def play(driver: Driver, seconds: float) -> Figures:
    """Step for some time; return the simulations' steps per second, and the driver's CPU time."""
    until = time.perf_counter() + seconds / 5
    while time.perf_counter() < until:
        driver.step()
    steps, began, cpu = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() < began + seconds:
        driver.step()
        steps += driver.steps
    lasted = time.perf_counter() - began
    return {
        "steps_per_s": steps / lasted,
        "python_cpu_us": (time.process_time() - cpu) / steps * 1e6,
    }


def measure(effort: Effort) -> Results:
    """Measure each driver with each number of simulations and each wait."""
    results: Results = {}
    for name, make in DRIVERS.items():
        for wait_ms in WAITS_MS if not effort.quick else WAITS_MS[:1]:
            for count in COUNTS if not effort.quick else COUNTS[:1]:
                driver = make(count, {"duration": "3600s", "wait": wait_ms / 1000})
                try:
                    figures = play(driver, 0.1 if effort.quick else SECONDS)
                finally:
                    driver.close()
                ideal = count * 1000 / wait_ms
                results[f"{name}, {wait_ms} ms, {count} simulations"] = {
                    **figures,
                    "ideal_per_s": ideal,
                    "of_ideal_share": figures["steps_per_s"] / ideal,
                }
    return results
