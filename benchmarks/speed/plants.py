# SPDX-License-Identifier: GPL-2.0-only
"""CPU time of a plant's step behind a network, beside the step of the plain environment.

The network has no delay and no packets, so the figures are the cost of the wrapping. Gymnasium's
own worker processes show the cost of as many processes with plain environments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv

import defiance_zoo
from benchmarks.measuring.timing import Effort, Results, time_each
from defiance_zoo.bridge.system.resources import processor_time_s
from defiance_zoo.environments import lookup

PLANT, COUNT = "Pendulum-v1", 16
WRAPPED = lookup(f"networked:{PLANT}")
ENDLESS = {"over": "simple", "plant_arguments": '{"max_episode_steps": 1000000000}'}


def plain() -> Any:
    """Return the plain environment, whose episodes do not end."""
    return gymnasium.make(PLANT, disable_env_checker=True, max_episode_steps=10**9)


def wrapped(**arguments: Any) -> Any:
    """Return the environment behind a network."""
    return defiance_zoo.make(WRAPPED.name, api="gymnasium", **ENDLESS, **arguments)


CASES: dict[str, tuple[Callable[[], Any], int]] = {
    "plain": (plain, 1),
    "alone, zmq": (lambda: wrapped(link="zmq"), 1),
    "alone, local": (lambda: wrapped(link="local"), 1),
    f"vector of {COUNT}": (lambda: WRAPPED.vector_env(COUNT, **ENDLESS), COUNT),
    f"Gymnasium's `AsyncVectorEnv` of {COUNT}": (lambda: AsyncVectorEnv([plain] * COUNT), COUNT),
}
"""Functions that make environments, and the number of plants of each."""


def cpu_us(env: Any, plants: int, steps: int) -> float:
    """Return the CPU microseconds of all processes per step of a plant; close the environment."""
    action = np.full((plants, 1) if plants > 1 else 1, 0.5, np.float32)
    env.reset(seed=1)
    time_each(lambda: env.step(action), 1 + steps // 10)
    before = processor_time_s()
    time_each(lambda: env.step(action), steps)
    used = processor_time_s() - before
    env.close()
    return used / steps / plants * 1e6


def measure(effort: Effort) -> Results:
    """Measure each case."""
    results: Results = {}
    for name, (make, plants) in CASES.items():
        cpu = cpu_us(make(), plants, effort.of(20_000, 200) // plants)
        results[name] = {"cpu_us": cpu}
        results[name]["to_plain"] = cpu / results["plain"]["cpu_us"]
    return results
