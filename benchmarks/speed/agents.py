# SPDX-License-Identifier: GPL-2.0-only
"""Agent-steps per second of 1, 10 and 100 agents that decide at the same instant."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.measuring import floors
from benchmarks.measuring.programs import EXCHANGE
from benchmarks.measuring.situations import CORE_EACH, ONE_CORE, Situation
from benchmarks.measuring.timing import Effort, Figures, Results

AGENTS = (1, 10, 100)
AGENT_BYTES = 24
"""Bytes of an agent's observation of 4 floats, and its reward."""
WARM_UP = 20
SITUATIONS = (*ONE_CORE[:2], *CORE_EACH)


def play_sequential(rounds: int, situation: Situation, arguments: dict[str, Any]) -> float:
    """Play rounds of the AEC environment, one exchange per agent; return their wall time in s."""
    env = EXCHANGE.raw_env(**arguments, **situation.arguments)
    env.reset(seed=1)
    situation.settle()

    def play(count: int) -> None:
        for _ in range(count * len(env.agents)):
            env.last()
            env.step(3)

    return _timed(play, rounds, env.close)


def play_simultaneous(rounds: int, situation: Situation, arguments: dict[str, Any]) -> float:
    """Play rounds of the parallel environment, one exchange each; return their wall time in s."""
    env = EXCHANGE.parallel_env(**arguments, **situation.arguments)
    env.reset(seed=1)
    situation.settle()
    actions = dict.fromkeys(env.agents, 3)

    def play(count: int) -> None:
        for _ in range(count):
            env.step(actions)

    return _timed(play, rounds, env.close)


def play_batched(rounds: int, situation: Situation, arguments: dict[str, Any]) -> float:
    """Play rounds in arrays with a row for each agent; return their wall time in s."""
    env = EXCHANGE.multi_agent_vector_env(1, **arguments, **situation.arguments)
    env.reset(seed=1)
    situation.settle()
    actions = np.full((1, env.max_agents), 3)

    def play(count: int) -> None:
        for _ in range(count):
            env.step(actions)

    return _timed(play, rounds, env.close)


INTERFACES: dict[str, Callable[[int, Situation, dict[str, Any]], float]] = {
    "sequential, AEC": play_sequential,
    "simultaneous, parallel": play_simultaneous,
    "simultaneous, arrays": play_batched,
}
SEQUENTIAL = ("sequential, AEC",)
"""Interfaces whose rounds need one exchange per agent."""


def _timed(play: Callable[[int], None], rounds: int, close: Callable[[], None]) -> float:
    play(WARM_UP)
    began = time.perf_counter()
    play(rounds)
    seconds = time.perf_counter() - began
    close()
    return seconds


def floor(interface: str, agents: int, situation: Situation, exchanges: int) -> Figures:
    """Return agent-steps per second for bare messages of that size."""
    together = 1 if interface in SEQUENTIAL else agents
    round_us = floors.round_trip_us(situation, together * AGENT_BYTES, exchanges)
    return {} if round_us is None else {"floor_agent_steps_per_s": together * 1e6 / round_us}


def measure(effort: Effort) -> Results:
    """Measure each interface with each number of agents."""
    results: Results = {}
    for interface, play in INTERFACES.items():
        for agents in AGENTS:
            rounds = effort.of(max(100, 10_000 // agents), 2)
            for situation in SITUATIONS:
                arguments = {"agents": agents, "duration": "3600s"}
                with situation.placed():
                    seconds = play(rounds, situation, arguments)
                count = f"{agents} agent{'s' * (agents > 1)}"
                results[f"{interface}, {count}, {situation.name}"] = {
                    "agent_steps_per_s": agents * rounds / seconds,
                    "round_us": seconds / rounds * 1e6,
                    **floor(interface, agents, situation, effort.of(2000, 20)),
                }
    return results
