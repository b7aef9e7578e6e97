# SPDX-License-Identifier: GPL-2.0-only
"""Costs that must grow no faster than their cause: agents, bytes of an observation, nodes.

CPU time of both processes. Each row is beside the next smaller one, in the same run.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.measuring.floors import round_trip_us
from benchmarks.measuring.processes import cpu_s, only_simulation
from benchmarks.measuring.programs import EXCHANGE
from benchmarks.measuring.situations import ONE_CORE
from benchmarks.measuring.timing import Effort, Figures, Results, time_each
from benchmarks.speed.scripting import python_spec

AGENTS = (10, 100, 1000)
MEGABYTES = (1, 4, 10, 20)
NODES = (2500, 5000, 10_000)
REPETITIONS = 5
LOCAL = ONE_CORE[1]
GROWTH = python_spec(Path(__file__).parents[1] / "scenarios" / "growth.py")


def cpu_us(do: Callable[[], object], count: int) -> tuple[float, float]:
    """Return CPU microseconds of a call: Python's, and the simulation's."""
    simulation, found = only_simulation(), []
    for _ in range(REPETITIONS):
        before = time.process_time(), cpu_s(simulation)
        time_each(do, count)
        after = time.process_time(), cpu_s(simulation)
        found.append([(b - a) / count * 1e6 for a, b in zip(before, after, strict=True)])
    python, simulated = map(statistics.median, zip(*found, strict=True))
    return python, simulated


def of_agents(agents: int, effort: Effort) -> Results:
    """Return the cost of an agent's decision, one by one and all together."""
    results: Results = {}
    arguments: dict[str, Any] = {"agents": agents, "duration": "3600s", "link": "local"}
    with closing(EXCHANGE.raw_env(**arguments)) as env:
        env.reset(seed=1)
        turns = max(agents, effort.of(2000, 20))

        def turn() -> None:
            env.last()
            env.step(3)

        time_each(turn, 2 * agents)
        python, simulated = cpu_us(turn, turns)
        results[f"{agents:,} agents, AEC"] = {"python_us": python, "simulation_us": simulated}
    with closing(EXCHANGE.parallel_env(**arguments)) as env:
        env.reset(seed=1)
        actions = dict.fromkeys(env.agents, 3)
        time_each(lambda: env.step(actions), 5)
        both = cpu_us(lambda: env.step(actions), effort.of(max(20, 10_000 // agents), 2))
        python, simulated = (each / agents for each in both)
        results[f"{agents:,} agents, parallel"] = {"python_us": python, "simulation_us": simulated}
    return results


def of_bytes(megabytes: int, effort: Effort) -> Figures:
    """Return nanoseconds for a byte of an observation, with those of a bare pipe."""
    size = megabytes * 1_000_000
    with closing(GROWTH.episodes("sequential", size=size // 4, link="local")) as played:
        (agent,) = played.agents
        played.begin(1, None)

        def turn() -> None:
            played.decide(agent, 0)
            played.advance()

        time_each(turn, 4)
        both = cpu_us(turn, effort.of(10, 1))
    floor = round_trip_us(LOCAL, size, effort.of(20, 2)) or 0.0
    python, simulated = (each * 1e3 / size for each in both)
    return {"python_ns": python, "simulation_ns": simulated, "floor_ns": floor * 1e3 / size}


def of_nodes(nodes: int, kind: str) -> Figures:
    """Return the CPU seconds until a network in Python exists, with those of its nodes alone."""
    found = []
    for links in ("none", kind):
        with closing(GROWTH.episodes("sequential", nodes=nodes, links=links, link="local")) as env:
            env.begin(1, None)
            found.append(cpu_s(only_simulation()))
    return {"cpu_s": found[1], "floor_nodes_s": found[0], "node_us": found[1] / nodes * 1e6}


def measure(effort: Effort) -> Results:
    """Measure each kind of growth."""
    results: Results = {}
    with LOCAL.placed():
        for agents in AGENTS[:1] if effort.quick else AGENTS:
            results |= of_agents(agents, effort)
        for megabytes in MEGABYTES[:1] if effort.quick else MEGABYTES:
            results[f"{megabytes} MB"] = of_bytes(megabytes, effort)
        for kind in ("chain", "csma"):
            for nodes in (50,) if effort.quick else NODES:
                results[f"{nodes:,} nodes, {kind}"] = of_nodes(nodes, kind)
    return results
