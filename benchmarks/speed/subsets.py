# SPDX-License-Identifier: GPL-2.0-only
"""Python's CPU time of a round in which each agent decides with probability 1 or 0.5.

Agents have no infos, or an info of two numbers; eight agents also have a text of varying length,
an array, or a mask. Both probabilities are measured in turn, so that
their ratio does not depend on the load of the machine.
"""

from __future__ import annotations

import statistics
import time
from contextlib import closing
from typing import Any

from benchmarks.measuring.timing import Effort, Results
from benchmarks.speed.scripting import SUBJECTS
from defiance_zoo.environments import EnvironmentSpec

AGENTS = (8, 12, 32, 128, 256)
INFOS = {
    "none": "no infos",
    "numbers": "two numbers",
    "text": "a text",
    "array": "an array",
    "mask": "a mask",
}
"""Names of kinds of infos in rows."""
WARM_UP = 400
INTERLEAVED = 5


def round_us(env: Any, rounds: int) -> float:
    """Play rounds of a parallel environment; return the CPU time of each in microseconds."""
    actions = dict.fromkeys(env.agents, 3)
    began = time.process_time()
    for _ in range(rounds):
        env.step(actions)
    return (time.process_time() - began) / rounds * 1e6


def measure(effort: Effort) -> Results:
    """Measure each number of agents, with and without infos."""
    _, spec, _ = SUBJECTS["exchange"]
    return {
        f"{agents} agents, {name}": compare(spec, effort, agents=agents, infos=infos)
        for agents in (AGENTS[:1] if effort.quick else AGENTS)
        for infos, name in INFOS.items()
        if agents == AGENTS[0] or infos in ("none", "numbers")
    }


def compare(spec: EnvironmentSpec, effort: Effort, **arguments: Any) -> dict[str, float]:
    """Return the medians of all agents and of half of them, and the ratio of both."""
    rounds = effort.of(max(40, 2400 // arguments["agents"]), 2)
    with (
        closing(spec.parallel_env(link="local", **arguments)) as together,
        closing(spec.parallel_env(link="local", share=0.5, **arguments)) as apart,
    ):
        for env in (together, apart):
            env.reset(seed=1)
            round_us(env, effort.of(WARM_UP, 5))
        turns = [(round_us(together, rounds), round_us(apart, rounds)) for _ in range(INTERLEAVED)]
    every, half = (statistics.median(each) for each in zip(*turns, strict=True))
    return {"all_cpu_us": every, "half_cpu_us": half, "half_to_all": half / every}
