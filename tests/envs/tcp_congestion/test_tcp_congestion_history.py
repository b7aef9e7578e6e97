# SPDX-License-Identifier: GPL-2.0-only
"""Observations, actions and rewards of tcp_congestion_v1, computed from those of version 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from defiance_zoo.envs.tcp_congestion import tcp_congestion_v0, tcp_congestion_v1
from defiance_zoo.envs.tcp_congestion.flow_observation import FlowSample, make_observer
from defiance_zoo.envs.tcp_congestion.flow_state import ABSOLUTE as ABSOLUTE_SIZE
from defiance_zoo.envs.tcp_congestion.flow_state import (
    FACTORS,
    HISTORY,
    RELATIVE,
    move_window,
    read_flow,
)

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


def samples(steps: list[tuple[Any, float]]) -> list[FlowSample]:
    """Return the absolute observation of each interval of 100 ms, including the first one."""
    found = []
    for observation, _reward in steps:
        threshold, window, size, acked, sent, again, flying, rtt, least, rate, _ = map(
            float, observation
        )
        found.append(
            FlowSample(
                window=window * size,
                segment=size,
                in_flight=flying * size,
                acked=acked,
                sent=sent,
                again=again,
                throughput=1e6 * rate,
                rtt=rtt / 1e3,
                least_rtt=least / 1e3,
                duration=0.1,
                threshold=threshold * size,
            )
        )
    return found


@pytest.mark.parametrize(
    ("observation", "size"),
    [("absolute", ABSOLUTE_SIZE), ("relative", RELATIVE), ("history", HISTORY)],
)
def test_python_computes_equal_observations(observation: str, size: int) -> None:
    measured = samples(play(tcp_congestion_v1.SPEC, wander, **LOSSY, **ABSOLUTE)[:-1])
    given = {**LOSSY, "observation": observation}
    simulated = [each for each, _ in play(tcp_congestion_v1.SPEC, wander, **given)[:-1]]
    observe = make_observer(size)
    assert len(simulated) == len(measured) > 20
    known = slice(None, -1 if observation == "history" else None)  # except the first duration
    for seen, sample in zip(simulated, measured, strict=True):
        computed = observe(sample)
        assert (computed.dtype, computed.shape) == (np.float32, seen.shape)
        assert computed[known] == pytest.approx(seen[known], rel=1e-4, abs=2e-3)
    assert computed.size == size


def test_a_history_counts_the_time_since_the_first_interval() -> None:
    histories = [each for each, _ in play(tcp_congestion_v1.SPEC, wander, **LOSSY)[:-1]]
    times = np.exp2([seen[-1] for seen in histories]) - 1
    assert np.diff(times) == pytest.approx(np.full(len(times) - 1, 0.1), abs=1e-4)
    observe = make_observer(HISTORY)
    sample = samples(play(tcp_congestion_v1.SPEC, wander, **LOSSY, **ABSOLUTE)[:1])[0]
    computed = [observe(sample)[-1] for _ in range(3)]
    assert np.exp2(computed) - 1 == pytest.approx([0.1, 0.2, 0.3], abs=1e-5)


@pytest.mark.parametrize(
    ("kind", "choose"),
    [
        ("continuous", lambda number: np.array([1.5 * np.sin(number)], np.float32).clip(-1, 1)),
        ("proportional", lambda number: (number * number + number // 3) % 9),
        ("discrete", lambda number: (3, 4, 3, 3, 0, 1, 3, 2)[number % 8]),
    ],
)
def test_python_computes_equal_windows(kind: str, choose: Any) -> None:
    given = {**LOSSY, **ABSOLUTE, "bottleneck_loss": 0.0, "bottleneck_rate": "50Mbps"}
    env = tcp_congestion_v1.parallel_env(**given, action_space=kind)
    space = env.action_space("agent_0")
    env.close()
    steps = play(tcp_congestion_v1.SPEC, choose, **given, action_space=kind)[:-1]
    window, size = float(steps[0][0][1]) * 1448, 1448
    seen, computed = [], []
    for number, (observation, _) in enumerate(steps):
        seen.append(float(observation[1]))
        computed.append(int(window) / size)
        window = move_window(choose(number), space, window, size, 1000)
    assert computed == pytest.approx(seen, rel=1e-6)
    assert len(set(seen)) > 5


def test_baselines_read_equal_flows_from_histories_and_absolute_observations() -> None:
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
def test_the_reward_per_second_is_the_interval_reward_times_its_length(reward: str) -> None:
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
