# SPDX-License-Identifier: GPL-2.0-only
"""Steps per second of several simulations together, and how even they are."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv

from benchmarks.measuring import floors
from benchmarks.measuring.programs import EXCHANGE
from benchmarks.measuring.situations import ONE_CORE, UNPINNED, Situation
from benchmarks.measuring.timing import Effort, Figures, Results
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

COUNTS = (1, 2, 4, 8)
AnyVector = VectorEnv[Any, Any, Any]
MakeVector = Callable[[int, dict[str, Any]], AnyVector]
OBSERVATION_BYTES = 16
WARM_UP = 100


def vector_env(count: int, arguments: dict[str, Any]) -> AnyVector:
    """This package's vector, in this process."""
    return EXCHANGE.vector_env(count, **arguments)


def spread_vector_env(count: int, arguments: dict[str, Any]) -> AnyVector:
    """This package's vector; simulations have the cores in turn."""
    return EXCHANGE.vector_env(count, affinity="spread", **arguments)


def shared_vector_env(count: int, arguments: dict[str, Any]) -> AnyVector:
    """This package's vector; all simulations are on Python's core."""
    return EXCHANGE.vector_env(count, affinity="shared", **arguments)


def gymnasium_sync(count: int, arguments: dict[str, Any]) -> AnyVector:
    """Gymnasium's loop over single environments, in this process."""
    return SyncVectorEnv([lambda: GymnasiumEnv(EXCHANGE, **arguments)] * count)


def gymnasium_async(count: int, arguments: dict[str, Any]) -> AnyVector:
    """Gymnasium's worker processes, one for each single environment."""
    return AsyncVectorEnv([lambda: GymnasiumEnv(EXCHANGE, **arguments)] * count, context="spawn")


VECTORS: dict[str, tuple[MakeVector, tuple[Situation, ...]]] = {
    "`vector_env()`": (vector_env, UNPINNED),
    "`vector_env(affinity='spread')`": (spread_vector_env, UNPINNED),
    "`vector_env(affinity='shared')`": (shared_vector_env, UNPINNED[:2]),
    "Gymnasium's `SyncVectorEnv`": (gymnasium_sync, UNPINNED[1:2]),
    "Gymnasium's `AsyncVectorEnv`": (gymnasium_async, UNPINNED[1:2]),
}
"""The functions that make vectors, and the situations in which they are measured."""


def play_together(make: MakeVector, count: int, situation: Situation, rounds: int) -> Figures:
    """Step all simulations at a time; return steps per second."""
    env = make(count, {"duration": "3600s", **situation.arguments})
    env.reset(seed=1)
    actions = np.full(count, 3)
    for _ in range(WARM_UP):
        env.step(actions)
    began = time.perf_counter()
    for _ in range(rounds):
        env.step(actions)
    seconds = time.perf_counter() - began
    env.close()
    return {"steps_per_s": count * rounds / seconds}


def play_ready(count: int, situation: Situation, rounds: int) -> Figures:
    """Step any ready simulation; return steps per second, and how even they are."""
    arguments = {"duration": "3600s", "batch_size": 1, **situation.arguments}
    env = EXCHANGE.vector_env(count, **arguments)
    env.reset(seed=1)
    action = np.full(1, 3)
    env.send(np.full(count, 3))
    played = np.zeros(count)

    def play(steps: int) -> None:
        for _ in range(steps):
            *_, infos = env.recv()
            played[infos["env_id"]] += 1
            env.send(action, infos["env_id"])

    play(count * WARM_UP)
    played[:] = 0
    began = time.perf_counter()
    play(count * rounds)
    seconds = time.perf_counter() - began
    env.close()
    return {
        "steps_per_s": count * rounds / seconds,
        "slowest_to_fastest": float(played.min() / played.max()),
    }


def measure(effort: Effort) -> Results:
    """Measure each interface with each number of simulations."""
    results: Results = {}
    floor: dict[str, Figures] = {}
    for situation in ONE_CORE:
        round_us = floors.round_trip_us(situation, OBSERVATION_BYTES, effort.of(5000, 50))
        floor[situation.link] = {} if round_us is None else {"floor_steps_per_s": 1e6 / round_us}
    for count in COUNTS if not effort.quick else (2,):
        rounds = effort.of(max(500, 10_000 // count), 50)
        simulations = f"{count} simulation{'s' * (count > 1)}"
        for name, (make, situations) in VECTORS.items():
            for situation in situations:
                results[f"{name}, {simulations}, {situation.link}"] = {
                    **play_together(make, count, situation, rounds),
                    **floor[situation.link],
                }
        for situation in UNPINNED:
            results[f"`send()` and `recv()`, {simulations}, {situation.link}"] = {
                **play_ready(count, situation, rounds),
                **floor[situation.link],
            }
    return results
