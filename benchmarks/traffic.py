# SPDX-License-Identifier: GPL-2.0-only
"""Where there is much to simulate: what Python costs, and what a second core gives."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from typing import Any

import numpy as np

from benchmarks.builtin_policy import Seconds, seconds_per_decision
from benchmarks.processes import cpu_s, only_simulation
from benchmarks.programs import TRAFFIC
from benchmarks.situations import CORES, ONE_CORE, UNPINNED, Situation, on_cores
from benchmarks.timing import Effort, Figures, Results, time_each
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

TIMEOUT_S = 60.0
MARGIN = 10
"""Steps that episodes are longer than what is measured: flows need some before they decide."""
ACTION = 3
"""The same in every run: another one would be other traffic, and cost another time."""
POLICY = ("--policy=constant", f"--action={ACTION}")


@dataclass(frozen=True)
class Subject:
    """An environment with traffic.

    Attributes:
        spec: Its own.
        parameters: Which network.
        step_s: Simulated seconds from one decision to the next.
        decisions: How many are measured: seconds of wall time.
    """

    spec: EnvironmentSpec
    parameters: dict[str, Any]
    step_s: float
    decisions: int = 200


SUBJECTS = {
    "8 TCP connections": Subject(TRAFFIC, {}, 0.02),
    "wifi_contention_v0, 15 stations": Subject(
        lookup("wifi_contention_v0"), {"stations": 15}, 0.01
    ),
    "tcp_congestion_v0, 8 flows": Subject(
        lookup("tcp_congestion_v0"), {"algorithm": "newreno", "cross_flows": 7}, 0.05, 2000
    ),
}


def seconds_with_python(
    subject: Subject,
    decisions: int,
    arguments: dict[str, Any],
    begin: Callable[[], object] = lambda: None,
) -> Seconds:
    """Return the seconds of a decision of one episode, from its first decision on.

    Args:
        subject: What is played.
        decisions: How many.
        arguments: Of the environment.
        begin: Called before the first decision.
    """
    duration = (decisions + MARGIN) * subject.step_s
    env = GymnasiumEnv(subject.spec, **subject.parameters, duration=duration, **arguments)
    env.reset(seed=1)
    simulation = only_simulation()
    begin()
    python, simulated = time.process_time(), cpu_s(simulation)
    wall = float(time_each(lambda: env.step(ACTION), decisions).mean())
    python, simulated = time.process_time() - python, cpu_s(simulation) - simulated
    env.close()
    return Seconds(wall, (python + simulated) / decisions, python / decisions)


def _play(name: str, core: int, decisions: int, barrier: Barrier, rate: Connection) -> None:
    with on_cores({core}):
        seconds = seconds_with_python(SUBJECTS[name], decisions, {"link": "local"}, barrier.wait)
        rate.send(1 / seconds.wall)


def rate_together(name: str, cores: list[int], decisions: int) -> float:
    """Return decisions a second of simulations at the same time, each with Python on a core."""
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(len(cores), timeout=TIMEOUT_S)
    players, rates = [], []
    for core in cores:
        rate, theirs = context.Pipe(duplex=False)
        player = context.Process(
            target=_play, args=(name, core, decisions, barrier, theirs), daemon=True
        )
        player.start()
        theirs.close()  # so that the pipe ends with the player
        players.append(player)
        rates.append(rate)
    total: float = sum(rate.recv() for rate in rates)
    for player in players:
        player.join()
    return total


def beside_its_floor(
    subject: Subject, situation: Situation, decisions: int, rounds: int
) -> Figures:
    """Return what Python costs, from as many rounds of the floor and, at once after it, Python.

    The speed of a shared machine changes within a minute by more than Python costs, so ratios are
    the medians of those of the rounds. What other tenants of the host take is in the guest's CPU
    time, too, so these ratios say little there. The share of Python in the CPU time of both
    processes is of the same seconds, and says the same on each machine.
    """
    step_s = subject.step_s
    alone, attached = np.zeros((rounds, 3)), np.zeros((rounds, 3))
    with situation.placed():
        for number in range(rounds):
            alone[number] = seconds_per_decision(
                subject.spec, subject.parameters, decisions=decisions, step_s=step_s, policy=POLICY
            )
            attached[number] = seconds_with_python(subject, decisions, situation.arguments)
    ratio = np.median(attached[:, :2] / alone[:, :2], axis=0)
    decision_s, floor_s = np.median(attached[:, 0]), np.median(alone[:, 0])
    return {
        "decision_ms": float(decision_s * 1e3),
        "floor_built_in_policy_ms": float(floor_s * 1e3),
        "ratio_with_python": float(ratio[0]),
        "ratio_of_cpu": float(ratio[1]),
        "python_share": float(np.median(attached[:, 2] / attached[:, 1])),
        "simulated_s_per_s": float(step_s / decision_s),
    }


def measure(effort: Effort) -> Results:
    """Measure one simulation in each situation, and two at a time."""
    rounds = effort.of(3, 1)
    results: Results = {}
    for name, subject in SUBJECTS.items():
        decisions = effort.of(subject.decisions, subject.decisions // 10)
        for situation in (*UNPINNED[:2], *ONE_CORE[:2]):
            figures = beside_its_floor(subject, situation, decisions, rounds)
            results[f"{name}, {situation.name}"] = figures
        cores = sorted(CORES)[:2]
        if len(cores) == 2:
            single = rate_together(name, cores[:1], decisions)
            results[f"two on two cores, against one: {name}"] = {
                "speed_up": rate_together(name, cores, decisions) / single
            }
    return results
