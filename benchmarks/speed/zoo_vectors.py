# SPDX-License-Identifier: GPL-2.0-only
"""The zoo's single-agent environments in vectors: CPU time of Python for each environment step.

All vectors play in turn, so that their ratios do not depend on the load of the machine. Actions
are random, and episodes long, so that steps and not resets are measured.
"""

from __future__ import annotations

import statistics
import time
from contextlib import ExitStack, closing
from typing import Any

from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from benchmarks.measuring.processes import cpu_s, simulations
from benchmarks.measuring.timing import Effort, Figures, Results
from defiance_zoo.environments import lookup
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

COUNT = 16
INTERLEAVED = 5
UPRIGHT: dict[str, Any] = {"duration": "1h", "terminate_when_fallen": False}
TESTS = {"horizon": 1_000_000, "illegal_actions": "keep"}
SUBJECTS: dict[str, tuple[str, dict[str, Any], int]] = {
    "cart_pole_v0, nothing simulated": ("cart_pole_v0", {**UPRIGHT, "placement": "local"}, 200),
    "cart_pole_v0, UDP": ("cart_pole_v0", {**UPRIGHT, "transport": "udp"}, 200),
    "channel_access_v0": ("channel_access_v0", {"duration": "1h"}, 200),
    "jamming_v0": ("jamming_v0", {"duration": "1h", "opponent": "random"}, 200),
    "channel_rps_v0": ("channel_rps_v0", {"duration": "1h", "opponent": "random"}, 200),
    "edge_cart_pole_v0": ("edge_cart_pole_v0", UPRIGHT, 200),
    "partition_v0": ("partition_v0", TESTS, 50),
    "partition_tendermint_v0": ("partition_tendermint_v0", TESTS, 50),
    "wifi_contention_v0": ("wifi_contention_v0", {"duration": "1h", "stations": 1}, 20),
    "tcp_congestion_v0, one flow": (
        "tcp_congestion_v0",
        {"duration": "1h", "flows": 1, "bottleneck_rate": "1Mbps"},
        20,
    ),
    "cell_power_v0, one cell": ("cell_power_v0", {"duration": "1h", "cells": 1}, 10),
}
"""Name, arguments and steps by row."""
BESIDE_ASYNC = ("cart_pole_v0, nothing simulated", "cart_pole_v0, UDP")
"""Rows with `AsyncVectorEnv`, whose own exchange with its processes costs the same in all rows."""


def step_us(env: Any, steps: int) -> float:
    """Step a vector with random actions; return Python's CPU microseconds for each simulation."""
    used = 0.0
    for _ in range(steps):
        actions = env.action_space.sample()
        began = time.process_time()
        env.step(actions)
        used += time.process_time() - began
    return used / steps / COUNT * 1e6


def simulation_us(env: Any, steps: int) -> float:
    """Step a vector; return the CPU microseconds of a simulation for a step."""
    processes = simulations()
    began = sum(map(cpu_s, processes))
    step_us(env, steps)
    return (sum(map(cpu_s, processes)) - began) / steps / COUNT * 1e6


def make_async(envs: list[Any]) -> Any:
    """Make Gymnasium's worker processes, one for each environment."""
    return AsyncVectorEnv(envs, context="spawn")


def compare(name: str, arguments: dict[str, Any], steps: int, others: list[Any]) -> Figures:
    """Return the medians of this package's vector and of Gymnasium's, and the simulation's part."""
    spec = lookup(name)
    single = [lambda: GymnasiumEnv(spec, link="local", **arguments)] * COUNT
    with ExitStack() as stack:
        vector = stack.enter_context(closing(spec.vector_env(COUNT, **arguments)))
        vector.reset(seed=1)
        step_us(vector, steps)
        simulated = simulation_us(vector, steps)
        theirs = [stack.enter_context(closing(make(single))) for make in others]
        for env in theirs:
            env.reset(seed=1)
            step_us(env, steps)
        turns = [[step_us(env, steps) for env in (vector, *theirs)] for _ in range(INTERLEAVED)]
    ours, *medians = map(statistics.median, zip(*turns, strict=True))
    return {
        "vector_us": ours,
        **dict(zip(("sync_us", "async_us"), medians, strict=False)),
        "sync_to_vector": statistics.median(each[1] / each[0] for each in turns),
        "simulation_us": simulated,
    }


def measure(effort: Effort) -> Results:
    """Measure each environment."""
    chosen = list(SUBJECTS.items())[:2] if effort.quick else SUBJECTS.items()
    return {
        row: compare(
            name,
            arguments,
            effort.of(steps, 3),
            [SyncVectorEnv, make_async] if row in BESIDE_ASYNC else [SyncVectorEnv],
        )
        for row, (name, arguments, steps) in chosen
    }
