# SPDX-License-Identifier: GPL-2.0-only
"""Observations, actions and rewards of tcp_congestion_v1, computed from those of version 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from defiance_zoo.envs.tcp_congestion import tcp_congestion_v0, tcp_congestion_v1
from defiance_zoo.envs.tcp_congestion.flow_state import FACTORS, HISTORY, read_flow

ABSOLUTE = {"observation": "absolute"}
LOSSY = {"duration": "3s", "bottleneck_rate": "2Mbps", "bottleneck_loss": 0.03, "interval": "100ms"}


def play(spec: Any, choose: Any, **arguments: Any) -> list[tuple[Any, float]]:
    """Return observations and rewards of an episode with one flow, from `reset()` on."""
    env = spec.parallel_env(link="local", **arguments)
    observations, _ = env.reset(seed=4)
    steps = [(observations["agent_0"], 0.0)]
    while env.agents:
        observations, rewards, *_ = env.step({"agent_0": choose(len(steps) - 1)})
        steps.append((observations["agent_0"], rewards["agent_0"]))
    env.close()
    return steps


def wander(number: int) -> Any:
    """Return a continuous action that moves the window up and down."""
    return np.array([np.sin(number)], np.float32)


def expected_history(steps: list[tuple[Any, float]]) -> list[Any]:
    """Compute histories from absolute observations, as the card says."""
    intervals: list[list[float]] = []
    products: list[float] = []
    found, before, greatest = [], 0.0, 0.0
    for number, (observation, _reward) in enumerate(steps):
        _, window, size, acked, sent, again, flying, rtt, least, rate, _ = map(float, observation)
        segments = 1e3 * least / (8 * size)  # of 1 Mb/s, in the smallest round trip time
        greatest = max(greatest, rate)
        products.insert(0, rate * segments)
        queued = window * (1 - least / rtt)
        row = [products[0] / window, rtt / least, again / max(sent, 1e-9), acked / max(sent, 1e-9)]
        row += [flying / window, 1 + queued, window / before if before else 1.0]
        for log in (0, 1, 5, 6):
            row[log] = np.log2(max(row[log], 1e-9))
        intervals.insert(0, row)
        before = window
        of_flow = [greatest * segments / window, max(products[:10]) / window, window, least]
        padded = [*intervals[:4], *[[0.0] * 7] * (4 - len(intervals))]
        found.append([*np.ravel(padded), *np.log2(np.maximum(of_flow, 1e-9)), np.nan])
        assert number < 40
    return found


def test_a_history_is_computed_from_what_the_sender_has_measured() -> None:
    absolute = play(tcp_congestion_v1.SPEC, wander, **LOSSY, **ABSOLUTE)[:-1]
    histories = [each for each, _ in play(tcp_congestion_v1.SPEC, wander, **LOSSY)[:-1]]
    space = tcp_congestion_v1.parallel_env(**LOSSY).observation_space("agent_0")
    assert len(histories) == len(absolute) > 20
    for seen, expected in zip(histories, expected_history(absolute), strict=True):
        assert seen.shape == (HISTORY,)
        within = np.clip(expected, space.low, space.high)
        assert seen[:-1] == pytest.approx(within[:-1], abs=2e-3)
    times = np.exp2([seen[-1] for seen in histories]) - 1
    assert np.diff(times) == pytest.approx(np.full(len(times) - 1, 0.1), abs=1e-4)


def test_baselines_read_the_same_of_a_history_and_of_absolute_numbers() -> None:
    absolute = play(tcp_congestion_v1.SPEC, wander, **LOSSY, **ABSOLUTE)[:-1]
    histories = play(tcp_congestion_v1.SPEC, wander, **LOSSY)[:-1]
    for (one, _), (other, _) in zip(absolute, histories, strict=True):
        known, read = read_flow(one), read_flow(other)
        assert read.window == pytest.approx(known.window, rel=1e-3)
        assert read.stretch == pytest.approx(known.stretch, rel=1e-3)
        assert read.lost == pytest.approx(known.lost)
        if known.product > 0:
            assert read.product == pytest.approx(known.product, rel=1e-3)


@pytest.mark.parametrize("action", range(9))
def test_proportional_actions_multiply_the_window(action: int) -> None:
    given = {**LOSSY, **ABSOLUTE, "bottleneck_loss": 0.0, "bottleneck_rate": "50Mbps"}
    windows = [
        observation[1]
        for observation, _ in play(
            tcp_congestion_v1.SPEC,
            lambda number: action if number == 10 else 4,
            **given,
            action_space="proportional",
        )
    ]
    assert windows[13] / windows[10] == pytest.approx(FACTORS[9][action], rel=0.01)


@pytest.mark.parametrize("reward", ["competitive", "cooperative", "mixed"])
def test_the_reward_per_second_is_the_one_of_the_interval_times_its_length(reward: str) -> None:
    given = {**LOSSY, "reward": reward, "interval": "50ms"}
    of_intervals = play(tcp_congestion_v1.SPEC, wander, reward_per="interval", **given)
    of_seconds = play(tcp_congestion_v1.SPEC, wander, **given)
    for (_, one), (_, other) in zip(of_intervals[:-1], of_seconds[:-1], strict=True):
        assert other == pytest.approx(0.05 * one)


def test_version_1_is_version_0_with_other_defaults() -> None:
    v0 = play(
        tcp_congestion_v0.SPEC,
        wander,
        **LOSSY,
        observation="history",
        action_space="continuous",
        reward_per="second",
    )
    v1 = play(tcp_congestion_v1.SPEC, wander, **LOSSY)
    assert all(np.array_equal(a, b) and x == y for (a, x), (b, y) in zip(v0, v1, strict=True))
