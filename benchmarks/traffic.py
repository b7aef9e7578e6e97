# SPDX-License-Identifier: GPL-2.0-only
"""Where there is much to simulate: what Python costs, and what a second core gives."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from typing import Any

from benchmarks.builtin_policy import seconds_per_decision
from benchmarks.programs import TRAFFIC
from benchmarks.situations import CORES, ONE_CORE, UNPINNED, on_cores
from benchmarks.timing import Effort, Results, time_each
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

STEP_S = 0.02
TIMEOUT_S = 60.0
ACTION = 3
"""The same in every run: another one would be other traffic, and cost another time."""


def seconds_with_python(
    decisions: int, arguments: dict[str, Any], begin: Callable[[], object] = lambda: None
) -> float:
    """Return wall seconds a decision of one episode, from its first decision to its end.

    Args:
        decisions: How many.
        arguments: Of the environment.
        begin: Called before the first decision.
    """
    env = GymnasiumEnv(TRAFFIC, duration=(decisions + 1) * STEP_S, **arguments)
    env.reset(seed=1)
    begin()
    times = time_each(lambda: env.step(ACTION), decisions)
    env.close()
    return float(times.mean())


def _play(core: int, decisions: int, barrier: Barrier, rate: Connection) -> None:
    with on_cores({core}):
        rate.send(1 / seconds_with_python(decisions, {"link": "local"}, barrier.wait))


def rate_together(cores: list[int], decisions: int) -> float:
    """Return decisions a second of simulations at the same time, each with Python on a core."""
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(len(cores), timeout=TIMEOUT_S)
    players, rates = [], []
    for core in cores:
        rate, theirs = context.Pipe(duplex=False)
        player = context.Process(target=_play, args=(core, decisions, barrier, theirs), daemon=True)
        player.start()
        theirs.close()  # so that the pipe ends with the player
        players.append(player)
        rates.append(rate)
    total: float = sum(rate.recv() for rate in rates)
    for player in players:
        player.join()
    return total


def measure(effort: Effort) -> Results:
    """Measure one simulation in each situation, and two at a time."""
    decisions = effort.of(500, 20)
    policy = ("--policy=constant", f"--action={ACTION}")
    alone = seconds_per_decision(TRAFFIC, {}, decisions=decisions, step_s=STEP_S, policy=policy)
    results: Results = {}
    for situation in (*UNPINNED[:2], *ONE_CORE[:2]):
        with situation.placed():
            seconds = seconds_with_python(decisions, situation.arguments)
        results[situation.name] = {
            "decision_ms": seconds * 1e3,
            "floor_built_in_policy_ms": alone * 1e3,
            "ratio_with_python": seconds / alone,
            "simulated_s_per_s": STEP_S / seconds,
        }
    cores = sorted(CORES)[:2]
    if len(cores) == 2:
        single = rate_together(cores[:1], decisions)
        results["two simulations on two cores, against one"] = {
            "speed_up": rate_together(cores, decisions) / single
        }
    return results
