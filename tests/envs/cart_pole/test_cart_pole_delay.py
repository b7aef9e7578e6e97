# SPDX-License-Identifier: GPL-2.0-only
"""Observations and actions have the latency of the network, computed by hand."""

from __future__ import annotations

import numpy as np
import pytest
from cart_pole_messages import (
    ACTIONS,
    IPV4,
    MS,
    PPP,
    START,
    TCP,
    TCP_TIMESTAMPS,
    action_bytes,
    observation_bytes,
    on_the_wire_ns,
    play,
)
from cart_pole_reference import INTERVAL_NS, ReferenceCart

from defiance_zoo.envs import cart_pole_v0
from defiance_zoo.envs.cart_pole.baselines import state_feedback_policy


def waiting_ns(sample: int, transport: str, rate: int) -> int:
    """Return how long an action waits for the link.

    ns-3's TCP acknowledges every second segment (DelAckCount 2), from the first one on, and the
    acknowledgement of the observation is sent before the action.
    """
    if transport == "udp" or sample % 2:
        return 0
    return round((PPP + IPV4 + TCP + TCP_TIMESTAMPS) * 8 * 10**9 / rate)


@pytest.mark.parametrize(
    ("transport", "delay_ms", "rate"),
    [
        ("udp", 1, 10_000_000),
        ("udp", 3, 1_000_000),
        ("udp", 5, 250_000),
        ("tcp", 1, 10_000_000),
        ("tcp", 3, 1_000_000),
    ],
)
def test_times_of_arrival_are_as_computed_by_hand(transport: str, delay_ms: int, rate: int) -> None:
    """For TCP from the third sample on: the first two wait for the handshake and its packets."""
    env = cart_pole_v0.raw_env(transport=transport, delay=f"{delay_ms}ms", data_rate=f"{rate}bps")
    reported = play(env, ACTIONS)
    env.close()
    up = on_the_wire_ns(observation_bytes(), transport, rate) + delay_ms * MS
    cart = ReferenceCart(START)
    for sample, ((time_ns, observation), action) in enumerate(zip(reported, ACTIONS, strict=True)):
        expected = cart.advance(sample * INTERVAL_NS)
        if sample > 1 or transport == "udp":
            assert time_ns == sample * INTERVAL_NS + up
        # Over TCP, this test does not compute when the first two actions arrive.
        assert np.allclose(observation, expected, rtol=0, atol=2e-6 if transport == "tcp" else 0)
        down = on_the_wire_ns(action_bytes(action), transport, rate) + delay_ms * MS
        cart.push(time_ns + waiting_ns(sample, transport, rate) + down, action)


def test_simple_delay_and_action_delay_add_up() -> None:
    """Without packets: exactly the delay each way, and the decision time in between."""
    env = cart_pole_v0.raw_env(transport="simple", delay="3ms", action_delay="5ms")
    reported = play(env, ACTIONS)
    env.close()
    cart = ReferenceCart(START)
    for sample, ((time_ns, observation), action) in enumerate(zip(reported, ACTIONS, strict=True)):
        assert time_ns == sample * INTERVAL_NS + 3 * MS
        expected = cart.advance(sample * INTERVAL_NS)
        assert observation.tobytes() == expected.tobytes()
        cart.push(sample * INTERVAL_NS + 11 * MS, action)


def test_balanced_episodes_with_delays_equal_the_reference_bit_for_bit() -> None:
    """500 steps, in which a difference of one bit would grow."""
    env = cart_pole_v0.raw_env(transport="simple", delay="3ms", action_delay="5ms", link="local")
    act = state_feedback_policy(env.action_space("agent_0"))
    for seed in range(5):
        start = np.random.default_rng(seed).uniform(-0.05, 0.05, 4).tolist()
        env.reset(options={"initial_state": start})
        cart = ReferenceCart(start)
        for sample in range(500):
            observation, _, terminated, truncated, _ = env.last()
            assert not terminated
            assert not truncated
            assert observation.tobytes() == cart.advance(sample * INTERVAL_NS).tobytes()
            action = act(observation)
            cart.push(sample * INTERVAL_NS + 11 * MS, action)
            env.step(action)
    env.close()


def test_a_delay_longer_than_a_sample_keeps_several_messages_in_flight() -> None:
    env = cart_pole_v0.raw_env(transport="simple", delay="30ms")
    reported = play(env, ACTIONS)
    env.close()
    assert [time for time, _ in reported] == [
        sample * INTERVAL_NS + 30 * MS for sample in range(len(ACTIONS))
    ]
    cart = ReferenceCart(START)
    pushes = [(time + 30 * MS, action) for (time, _), action in zip(reported, ACTIONS, strict=True)]
    for sample, (_, observation) in enumerate(reported):
        while pushes and pushes[0][0] <= sample * INTERVAL_NS:
            cart.push(*pushes.pop(0))
        assert np.allclose(observation, cart.advance(sample * INTERVAL_NS), rtol=0, atol=2e-6)


@pytest.mark.parametrize("transport", ["simple", "udp"])
def test_loss_loses_messages(transport: str) -> None:
    """Half of the observations do not arrive, and get no decision."""
    env = cart_pole_v0.raw_env(
        transport=transport, loss=0.5, terminate_when_fallen=False, duration="10s"
    )
    env.reset(seed=4)
    decisions = 0
    for _agent in env.agent_iter():
        *_, terminated, truncated, _info = env.last()
        decisions += 0 if terminated or truncated else 1
        env.step(None if terminated or truncated else 0)
    env.close()
    # Binomial(500, 1/2): five standard deviations are 56.
    assert abs(decisions - 250) < 56


def test_tcp_delivers_all_messages_despite_loss() -> None:
    env = cart_pole_v0.raw_env(
        transport="tcp", loss=0.02, terminate_when_fallen=False, duration="4s"
    )
    env.reset(seed=5)
    decisions = 0
    late = False
    for _agent in env.agent_iter():
        *_, terminated, truncated, info = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        late = late or info["sim_time_ns"] > decisions * INTERVAL_NS + 10 * MS
        decisions += 1
        env.step(0)
    env.close()
    assert late  # something was lost and retransmitted
    assert decisions > 100
