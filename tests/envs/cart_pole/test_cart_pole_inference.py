# SPDX-License-Identifier: GPL-2.0-only
"""Agents of cart_pole_v0 with a processor: waiting times and drops, computed by hand.

A cart sends a sample every 20 ms, and only inference takes time.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from cart_pole_messages import MS, START
from cart_pole_reference import INTERVAL_NS, ReferenceCart

import defiance_zoo
from defiance_zoo.envs import cart_pole_v0


class Decision(NamedTuple):
    """An agent's infos when a worker begins its decision, and the agent's action."""

    time_ns: int
    observation: Any
    reward: float
    waited_ns: int
    infos: dict[str, Any]


def make(**arguments: Any) -> Any:
    return cart_pole_v0.raw_env(terminate_when_fallen=False, link="local", **arguments)


def act(number: int) -> int:
    """Return the action of a decision; the actions follow no simple pattern."""
    return number * number % 7 % 2


def take(env: Any, number: int) -> Decision:
    observation, reward, terminated, truncated, infos = env.last()
    assert not terminated
    assert not truncated
    waited_ns = round(infos["inference/waiting_time"] * 1e9)
    decision = Decision(infos["sim_time_ns"], observation, reward, waited_ns, infos)
    env.step(act(number))
    return decision


def play(env: Any, count: int, seed: int = 1) -> list[Decision]:
    env.reset(seed=seed, options={"initial_state": START})
    return [take(env, number) for number in range(count)]


def check(decisions: list[Decision], samples: list[int], service_ms: int) -> None:
    """Compare decisions with their samples, if each takes the same time."""
    cart = ReferenceCart(START)
    pushes = [
        (decision.time_ns + service_ms * MS, act(number))
        for number, decision in enumerate(decisions)
    ]
    states = []
    for sample in range(samples[-1] + 1):
        while pushes and pushes[0][0] <= sample * INTERVAL_NS:
            cart.push(*pushes.pop(0))
        states.append(cart.advance(sample * INTERVAL_NS))
    for decision, sample in zip(decisions, samples, strict=True):
        assert np.allclose(decision.observation, states[sample], rtol=0, atol=2e-6)


def times(decisions: list[Decision]) -> list[tuple[float, float]]:
    """Return when each decision began and how long it had waited, in ms."""
    return [(each.time_ns / MS, each.waited_ns / MS) for each in decisions]


def test_samples_wait_for_one_worker_that_is_too_slow() -> None:
    """Sample n comes at 20 n ms, and its decision begins when those before have taken 27 n ms."""
    env = make(workers=1, service_time="27ms")
    decisions = play(env, 12)
    env.close()
    assert times(decisions) == [(27 * n, 7 * n) for n in range(12)]
    check(decisions, list(range(12)), 27)
    for n, decision in enumerate(decisions):
        assert decision.infos["inference/queue_length"] == 27 * n // 20 - n
        assert decision.infos["inference/busy_workers"] == 1
        assert decision.infos["inference/utilisation"] == (1.0 if n else 0.0)
        assert decision.infos["inference/dropped"] == 0


def test_two_workers_alternate() -> None:
    """The decision of sample n begins when that of n - 2 has taken 50 ms."""
    env = make(workers=2, service_time="50ms")
    decisions = play(env, 8)
    env.close()
    assert times(decisions) == [(20 * n + 10 * (n // 2), 10 * (n // 2)) for n in range(8)]
    assert [d.infos["inference/busy_workers"] for d in decisions] == [1, *[2] * 7]


def test_two_workers_that_share_one_processor_take_longer() -> None:
    """Two at a time take twice as long: samples 3, 4, 5 wait until 80, 100 and 140 ms."""
    env = make(workers=2, service_time="30ms", slowdown=1)
    decisions = play(env, 6)
    env.close()
    assert times(decisions) == [(0, 0), (20, 0), (40, 0), (80, 20), (100, 20), (140, 40)]


def test_unlimited_workers_delay_actions_without_waiting() -> None:
    env = make(service_time="50ms")
    decisions = play(env, 8)
    env.close()
    assert times(decisions) == [(20 * n, 0) for n in range(8)]
    assert [d.infos["inference/busy_workers"] for d in decisions] == [1, 2, *[3] * 6]
    delayed = cart_pole_v0.raw_env(terminate_when_fallen=False, action_delay="50ms")
    delayed.reset(seed=1, options={"initial_state": START})
    for number, decision in enumerate(decisions):
        observation, *_, infos = delayed.last()
        assert np.array_equal(observation, decision.observation)
        assert "inference/waiting_time" not in infos
        delayed.step(act(number))
    delayed.close()


POLICIES: list[tuple[dict[str, Any], list[int], list[tuple[int, int]], list[int]]] = [
    # A worker needs 51 ms: of the samples that arrive meanwhile, one may wait.
    (
        {"buffer_size": 1},
        [0, 1, 3, 6, 8],
        [(0, 0), (51, 31), (102, 42), (153, 33), (204, 44)],
        [0, 1, 3, 4, 6],
    ),
    (
        {"buffer_size": 1, "full_buffer": "drop_oldest"},
        [0, 2, 5, 7, 10],
        [(0, 0), (51, 11), (102, 2), (153, 13), (204, 4)],
        [0, 1, 3, 4, 6],
    ),
    (
        {"full_buffer": "keep_latest_per_source"},
        [0, 2, 5, 7, 10],
        [(0, 0), (51, 11), (102, 2), (153, 13), (204, 4)],
        [0, 1, 3, 4, 6],
    ),
    (
        {"buffer_size": 0},
        [0, 3, 6, 9, 12],
        [(0, 0), (60, 0), (120, 0), (180, 0), (240, 0)],
        [0, 2, 4, 6, 8],
    ),
    # Samples that arrive while the agent is blocked enter one by one as places become free.
    (
        {"buffer_size": 1, "full_buffer": "block"},
        [0, 1, 2, 3, 4],
        [(0, 0), (51, 31), (102, 62), (153, 93), (204, 102)],
        [0, 0, 0, 0, 0],
    ),
]


@pytest.mark.parametrize(("arguments", "samples", "expected", "dropped"), POLICIES, ids=str)
def test_a_full_buffer_drops_or_blocks(
    arguments: dict[str, Any],
    samples: list[int],
    expected: list[tuple[int, int]],
    dropped: list[int],
) -> None:
    env = make(workers=1, service_time="51ms", **arguments)
    decisions = play(env, 5)
    env.close()
    assert times(decisions) == expected
    check(decisions, samples, 51)
    assert [d.infos["inference/dropped"] for d in decisions] == dropped


def test_the_reward_of_a_dropped_decision_is_not_lost() -> None:
    """Each sample earns 1, whichever decision reports it; the last push holds meanwhile."""
    returns, decided = [], []
    for arguments in ({}, {"workers": 1, "service_time": "51ms", "buffer_size": 0}):
        env = make(duration="1s", **arguments)
        env.reset(seed=1)
        total, count = 0.0, 0
        for _ in env.agent_iter():
            _, reward, terminated, truncated, _ = env.last()
            total += reward
            over = terminated or truncated
            count += not over
            env.step(None if over else 1)
        env.close()
        returns.append(total)
        decided.append(count)
    assert returns[0] == returns[1] > 0
    assert decided == [50, 17]


def test_each_agent_has_its_own_processor() -> None:
    env = cart_pole_v0.parallel_env(
        carts=3,
        terminate_when_fallen=False,
        workers={"agent_0": 1, "agent_1": 2},
        service_time={"agent_0": "27ms", "agent_1": "50ms"},
        link="local",
    )
    _, infos = env.reset(seed=1)
    seen: dict[str, list[tuple[float, float]]] = {agent: [] for agent in env.agents}
    while any(len(each) < 6 for each in seen.values()):
        deciding = [agent for agent in env.agents if infos[agent]["deciding"]]
        for agent in deciding:
            waited = infos[agent].get("inference/waiting_time", 0.0)
            now = infos[agent]["sim_time_ns"] / MS
            seen[agent].append((now, round(waited * 1e9) / MS))
        *_, infos = env.step(dict.fromkeys(env.agents, 1))
    env.close()
    assert seen["agent_0"][:6] == [(27 * n, 7 * n) for n in range(6)]
    assert seen["agent_1"][:6] == [(20 * n + 10 * (n // 2), 10 * (n // 2)) for n in range(6)]
    assert seen["agent_2"][:6] == [(20 * n, 0) for n in range(6)]


def test_a_central_agent_queues_samples_that_arrive_one_by_one() -> None:
    """On a bus, carts' states arrive apart: each is a decision, 5 ms after the one before."""
    arguments = {"placement": "central", "carts": 3, "transport": "udp", "access": "csma"}

    def arrivals(count: int, **more: Any) -> list[tuple[int, int]]:
        env = make(**arguments, **more)
        env.reset(seed=1)
        seen = []
        for _ in range(count):
            infos = env.last()[4]
            waited = round(infos.get("inference/waiting_time", 0.0) * 1e9)
            seen.append((infos["sim_time_ns"], waited))
            env.step([1, 1, 1])
        env.close()
        return seen

    came = [time_ns for time_ns, _ in arrivals(3, action_delay="10ms")]
    assert came[0] < came[1] < came[2] < came[0] + 5 * MS
    begins = [came[0] + n * 5 * MS for n in range(3)]
    expected = [(begin, begin - arrival) for begin, arrival in zip(begins, came, strict=True)]
    assert arrivals(3, workers=1, service_time="5ms") == expected


def test_exponential_service_has_the_waiting_time_of_queueing_theory() -> None:
    """D/M/1: s = exp(-(1 - s) 20 ms / 10 ms), and a job waits s / (1 - s) times 10 ms."""
    env = make(
        workers=1, service_time="10ms", service_time_distribution="exponential", duration="160s"
    )
    waited = np.array([each.waited_ns for each in play(env, 7500)]) / MS
    env.close()
    s = 0.5
    for _ in range(100):
        s = math.exp(-2 * (1 - s))
    batches = waited.reshape(25, 300).mean(axis=1)
    half_width = 2.06 * batches.std(ddof=1) / math.sqrt(25)  # Student's t, 24 degrees of freedom
    assert half_width < 0.5
    assert abs(batches.mean() - 10 * s / (1 - s)) < half_width


@pytest.mark.parametrize("launch", ["fork", "spawn"])
def test_service_times_follow_the_seed(launch: Any) -> None:
    env = make(
        workers=1, service_time="15ms", service_time_distribution="exponential", launch=launch
    )
    reported = {seed: times(play(env, 10, seed)) for seed in (1, 2)}
    env.close()
    reference = make(workers=1, service_time="15ms", service_time_distribution="exponential")
    assert times(play(reference, 10)) == reported[1] != reported[2]
    reference.close()


def test_a_snapshot_keeps_waiting_samples() -> None:
    env = make(workers=1, service_time="51ms", buffer_size=3, full_buffer="drop_oldest")
    play(env, 6)
    snapshot = env.snapshot()
    once = [take(env, number) for number in range(6, 12)]
    env.restore(snapshot)
    again = [take(env, number) for number in range(6, 12)]
    snapshot.release()
    env.close()
    assert once[0].infos["inference/queue_length"] > 0
    assert times(once) == times(again)
    for one, other in zip(once, again, strict=True):
        assert np.array_equal(one.observation, other.observation)
        assert one.infos == other.infos


def test_simulations_side_by_side_are_independent() -> None:
    env = defiance_zoo.make_vec(
        "cart_pole_v0", 2, workers=1, service_time="27ms", terminate_when_fallen=False
    )
    _, infos = env.reset(seed=1)
    for n in range(6):
        assert np.round(infos["inference/waiting_time"] * 1e9).tolist() == [7 * n * MS] * 2
        *_, infos = env.step(np.ones(2, np.int64))
    env.close()
