# SPDX-License-Identifier: GPL-2.0-only
"""Gates of tcp_congestion: NewReno in Python equals ns-3's own, and equal flows share equally."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from defiance_zoo.envs.tcp_congestion import tcp_congestion_v0
from defiance_zoo.envs.tcp_congestion.baselines import newreno

COUNTS = ("received_packets", "received_bytes", "retransmissions", "queue_drops")
RL_TCP: dict[str, Any] = {
    "segment_size": 340,  # 400 bytes minus headers
    "bottleneck_rate": "2Mbps",
    "bottleneck_delay": "0.01ms",
    "leaf_rate": "10Mbps",
    "leaf_delay": "20ms",
    "leaf_jitter": "0ms",
    "queue_discipline": "fq_codel",  # ns-3's default, which that program keeps
    "buffer": 10_240,
    "device_queue": 100,
    "socket_buffer": 2**21,
    "recovery": "classic",
    "start_jitter": "0s",
    "stay": "7.1s",
    "duration": "10.1s",
}
"""The settings of ns3-gym's program for its scenario rl-tcp, with one sender."""

TOPOLOGIES: dict[str, dict[str, Any]] = {
    "one flow": {"buffer": 20},
    "dumbbell": {"flows": 3, "buffer": 30, "bottleneck_loss": 0.001},
    "parking lot": {"topology": "parking-lot", "hops": 3, "flows": 4, "buffer": 20},
}


def count(
    policy: Callable[[Any], Any], *, seed: int = 3, **arguments: Any
) -> dict[str, dict[str, int]]:
    """Play an episode, and return the counters of each flow at its end."""
    env = tcp_congestion_v0.parallel_env(link="local", **arguments)
    observations, _ = env.reset(seed=seed)
    counts = {}
    while env.agents:
        actions = {agent: policy(observations[agent]) for agent in env.agents}
        observations, _, terminations, truncations, infos = env.step(actions)
        for agent in infos:
            if terminations[agent] or truncations[agent]:
                counts[agent] = {key: infos[agent][key] for key in COUNTS}
    env.close()
    return counts


def nothing(_observation: Any) -> int:
    """Keep the window; ns-3's algorithm decides."""
    return 2


@pytest.mark.parametrize("arguments", TOPOLOGIES.values(), ids=TOPOLOGIES.keys())
def test_newreno_in_python_receives_the_same_bytes_as_ns3s(arguments: dict[str, Any]) -> None:
    given = {"duration": "6s", **arguments}
    python = count(newreno, control="per_ack", **given)
    own = count(nothing, algorithm="newreno", **given)
    assert python == own
    assert all(flow["retransmissions"] > 0 for flow in own.values())


def test_random_losses_are_equal_for_ns3_and_python() -> None:
    given = {"bottleneck_loss": 0.01, "duration": "6s"}
    own = count(nothing, algorithm="newreno", **given)
    assert count(newreno, control="per_ack", **given) == own
    assert own["agent_0"]["queue_drops"] == 0 < own["agent_0"]["retransmissions"]


def test_rl_tcp_of_ns3_gym_receives_5828_packets() -> None:
    own = count(nothing, algorithm="newreno", **RL_TCP)
    assert own["agent_0"]["received_packets"] == 5828
    assert count(newreno, control="per_ack", **RL_TCP) == own


def test_another_policy_receives_other_bytes() -> None:
    given = {"duration": "2s", "buffer": 20}
    own = count(nothing, algorithm="newreno", **given)
    fixed = count(lambda _: [1e5, 1e5], control="per_ack", **given)
    assert fixed != own


@pytest.mark.parametrize("flows", [2, 5])
def test_equal_newreno_flows_share_equally(flows: int) -> None:
    """Jain's index of the received bytes is at least 0.95."""
    given = {"flows": flows, "bottleneck_rate": "5Mbps", "duration": "60s", "interval": "1s"}
    counts = count(nothing, algorithm="newreno", **given)
    received = [flow["received_bytes"] for flow in counts.values()]
    assert sum(received) ** 2 / (flows * sum(each**2 for each in received)) >= 0.95
