# SPDX-License-Identifier: GPL-2.0-only
"""The cost of recording episodes: the same steps with and without a recording."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.measuring.timing import Effort, Figures, Results, Times
from defiance_zoo.environments import lookup
from defiance_zoo.recording import Record

SUBJECTS: dict[str, tuple[str, dict[str, Any], int]] = {
    "cart_pole, UDP": (
        "cart_pole_v0",
        {"transport": "udp", "delay": "1ms", "terminate_when_fallen": False},
        4000,
    ),
    "tcp_congestion": ("tcp_congestion_v0", {}, 400),
    "wifi_contention, 5 stations": ("wifi_contention_v0", {"stations": 5}, 120),
}
"""Environments by title: their names, arguments, and steps in a block.

A block takes about a second. While other kinds play, a recording waits, and writes when it
continues; without waiting, it writes once a second.
"""

BLOCKS = 18  # of each kind


def measure(effort: Effort) -> Results:
    """Measure each environment's steps: unchanged, noted in Python, and recorded fully."""
    return {
        name: _figures(env, arguments, effort.of(steps, 10), effort)
        for name, (env, arguments, steps) in SUBJECTS.items()
    }


def _figures(env: str, arguments: dict[str, Any], steps: int, effort: Effort) -> Figures:
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        kinds: dict[str, dict[str, Any]] = {
            "plain": {},
            "noted": {"record": Record(folder, "noted", simulation=False)},
            "recorded": {"record": Record(folder, "recorded")},
        }
        players = {
            name: stack.enter_context(_player(env, {**arguments, **more}))
            for name, more in kinds.items()
        }
        blocks = np.array(
            [_play_each(players, steps, first) for first in range(effort.of(BLOCKS, 1))]
        )
    plain_s, noted_s, recorded_s = np.median(blocks, axis=0)
    # Compare consecutive blocks, because a shared machine's speed changes within seconds.
    _, noted, recorded = np.median(blocks / blocks[:, :1], axis=0)
    return {
        "plain_us": float(plain_s * 1e6),
        "noted_us": float(noted_s * 1e6),
        "recorded_us": float(recorded_s * 1e6),
        "noted_share": float(noted - 1),
        "recorded_share": float(recorded - 1),
    }


def _play_each(players: dict[str, Callable[[int], Times]], steps: int, first: int) -> list[float]:
    """Return the time of a step of each kind; each round begins with another kind."""
    names = list(players)
    begin = first % len(names)
    means = {name: players[name](steps).mean() for name in (*names[begin:], *names[:begin])}
    return [means[name] for name in names]


@contextlib.contextmanager
def _player(name: str, arguments: dict[str, Any]) -> Iterator[Callable[[int], Times]]:
    """Yield a function that plays steps and returns the time per step, without resets.

    All players draw the same actions, so they play the same episodes.
    """
    env = lookup(name).raw_env(link="local", **arguments)
    seed = iter(range(1_000_000))
    for agent in env.possible_agents:
        env.action_space(agent).seed(1)
    env.reset(seed=next(seed))

    def play(steps: int) -> Times:
        times = np.zeros(steps)
        for number in range(steps):
            while not env.agents:
                env.reset(seed=next(seed))
            over = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
            action = None if over else env.action_space(env.agent_selection).sample()
            began = time.perf_counter()
            env.step(action)
            times[number] = time.perf_counter() - began
        return times

    try:
        yield play
    finally:
        env.close()
