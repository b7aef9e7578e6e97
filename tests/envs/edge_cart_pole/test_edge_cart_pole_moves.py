# SPDX-License-Identifier: GPL-2.0-only
"""Handovers of carts and moves of agents in edge_cart_pole_v0, with times computed by hand."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from cart_pole_messages import MS, START, observation_bytes, on_the_wire_ns
from cart_pole_reference import INTERVAL_NS

from defiance_zoo.envs import edge_cart_pole_v0
from defiance_zoo.envs.edge_cart_pole.baselines import state_feedback_policy

ACCESS_RATE, BACKBONE_RATE = 10_000_000, 100_000_000


def decisions(action: Any = 0, **arguments: Any) -> list[tuple[int, dict[str, Any]]]:
    """Return the time in ns and the infos of each decision, with one constant action."""
    env = edge_cart_pole_v0.raw_env(
        link="local", terminate_when_fallen=False, **{"duration": "500ms", **arguments}
    )
    env.reset(seed=1, options={"initial_state": START})
    reported = []
    for _agent in env.agent_iter():
        *_, terminated, truncated, info = env.last()
        if not (terminated or truncated):
            reported.append((info["sim_time_ns"], info))
        env.step(None if terminated or truncated else action)
    env.close()
    return reported


def way_ns(hops: int, hop_delay_ms: int, delay_ms: int = 0) -> int:
    """Return the time that an observation takes over UDP to an edge node so many hops away."""
    size = observation_bytes()
    access = on_the_wire_ns(size, "udp", ACCESS_RATE) + delay_ms * MS
    return access + hops * (on_the_wire_ns(size, "udp", BACKBONE_RATE) + hop_delay_ms * MS)


@pytest.mark.parametrize("hop_delay_ms", [0, 3])
def test_the_distance_to_a_fixed_agent_grows_with_each_handover(hop_delay_ms: int) -> None:
    """To the end of the road and back: 0, 1, 2, 1, 0 hops, 100 ms each."""
    reported = decisions(
        migration="fixed", edges=3, handover_interval="100ms", hop_delay=f"{hop_delay_ms}ms"
    )
    assert len(reported) == 25
    for sample, (time_ns, info) in enumerate(reported):
        hops = (0, 1, 2, 1, 0)[sample // 5]
        assert time_ns == sample * INTERVAL_NS + way_ns(hops, hop_delay_ms)
        assert (info["edge/cart"], info["edge/agent"]) == (hops, 0)
        assert info["moves/completed"] == 0


def test_an_agent_that_follows_is_always_at_the_nearest_node() -> None:
    reported = decisions(migration="follow", edges=3, handover_interval="100ms", hop_delay="3ms")
    assert len(reported) == 25
    for sample, (time_ns, info) in enumerate(reported):
        assert time_ns == sample * INTERVAL_NS + way_ns(0, 3)
        assert info["edge/agent"] == info["edge/cart"] == (0, 1, 2, 1, 0)[sample // 5]
        assert info["moves/completed"] == sample // 5


def test_an_agent_on_a_schedule_is_at_the_scheduled_node() -> None:
    reported = decisions(
        migration="schedule",
        schedule="0.15:2;250ms:1",
        edges=3,
        handover_interval="100ms",
        hop_delay="3ms",
    )
    for sample, (time_ns, info) in enumerate(reported):
        ms = sample * 20
        agent = 0 if ms < 150 else 2 if ms < 250 else 1
        cart = (0, 1, 2, 1, 0)[sample // 5]
        assert (info["edge/agent"], info["edge/cart"]) == (agent, cart)
        assert time_ns == sample * INTERVAL_NS + way_ns(abs(agent - cart), 3)


def test_a_handover_loses_messages_on_the_access_link() -> None:
    """Handed over every 50 ms, with 15 ms to the edge node: the sample of 40 ms is lost."""
    reported = decisions(
        migration="fixed", edges=2, handover_interval="50ms", hop_delay="1ms", delay="15ms"
    )
    arrived = {(time_ns // INTERVAL_NS) * 20 for time_ns, _ in reported}
    # In flight at 50, 150, ...: those of 40, 140, ...; no sample is 15 ms before 100, 200, ...
    assert arrived == set(range(0, 500, 20)) - {40, 140, 240, 340, 440}


def test_messages_on_the_backbone_are_rerouted_after_a_handover() -> None:
    """A push leaves at 20 ms for edge node 0 and beyond; the cart is at node 1 from 30 ms on.

    The push reaches the cart, which has received no other: the cart's velocity shows it.
    """
    velocities = {}
    for push in (0, 1):
        env = edge_cart_pole_v0.raw_env(
            migration="schedule",
            schedule="0s:2",
            edges=3,
            handover_interval="30ms",
            hop_delay="8ms",
            terminate_when_fallen=False,
        )
        env.reset(seed=1, options={"initial_state": START})
        while env.infos["agent_0"]["sim_time_ns"] < 60 * MS:
            env.step(push)
        velocities[push] = env.observe("agent_0")[1]
        env.close()
    assert velocities[0] < -0.1 < 0.1 < velocities[1]


def test_an_agent_moves_to_the_node_of_its_action() -> None:
    env = edge_cart_pole_v0.raw_env(migration="action", edges=4, handover_interval="50ms")
    env.reset(seed=1, options={"initial_state": START})
    for target in (2, 2, 0, 3, 1):
        env.step(np.array([1, target]))
        observation, _, _, _, info = env.last()
        cart = min(info["sim_time_ns"] // (50 * MS), 3)
        assert observation[4:].tolist() == [target, cart]
        assert (info["edge/agent"], info["edge/cart"]) == (target, cart)
    assert info["moves/completed"] == 4
    env.close()


def test_a_push_is_not_lost_by_the_move_of_the_same_action() -> None:
    """Equal pushes have equal effects, whether the agent moves at each or not."""
    speeds = []
    for targets in ((0, 0, 0, 0), (1, 0, 1, 0)):
        env = edge_cart_pole_v0.raw_env(migration="action", edges=2, hop_delay="0ms")
        env.reset(seed=1, options={"initial_state": START})
        for target in targets:
            env.step(np.array([1, target]))
        speeds.append(env.observe("agent_0")[1])
        env.close()
    assert speeds[0] == pytest.approx(speeds[1], rel=0.02)
    assert speeds[0] > 0.5


def test_agents_decide_at_the_old_edge_node_until_their_state_arrives() -> None:
    """50 kB over 2 Mbit/s take 200 ms, plus handshake, headers and slow start."""
    reported = decisions(
        migration="follow",
        state_bytes=50_000,
        backbone_rate="2Mbps",
        edges=2,
        handover_interval="500ms",
        hop_delay="2ms",
        duration="990ms",
        communication_infos=True,
    )
    under_way = [time_ns for time_ns, info in reported if info["moves/under_way"]]
    assert under_way[0] // MS == 502
    assert all(info["edge/agent"] == 0 for time_ns, info in reported if time_ns <= under_way[-1])
    last_ns, last = reported[-1]
    assert (last["edge/agent"], last["moves/completed"], last["moves/under_way"]) == (1, 1, 0)
    assert 0.206 < last["moves/duration"] < 0.300
    assert under_way[-1] < (0.5 + last["moves/duration"]) * 1e9 < last_ns
    # The agent decides on each sample meanwhile.
    assert max(later - earlier for earlier, later in pairwise(under_way)) < 2 * INTERVAL_NS
    assert last["communication/agent_0/agent_0/state/tx_bytes"] == 50_000 + 4
    assert last["communication/agent_0/agent_0/state/mean_latency"] == last["moves/duration"]


def test_agents_with_stop_and_copy_decide_afterwards() -> None:
    reported = decisions(
        migration="follow",
        state_bytes=50_000,
        state_transfer="stop-and-copy",
        backbone_rate="2Mbps",
        edges=2,
        handover_interval="500ms",
        hop_delay="2ms",
        duration="990ms",
    )
    times = np.array([time_ns for time_ns, _ in reported])
    back_ns = round((0.5 + reported[-1][1]["moves/duration"]) * 1e9)
    assert not ((times > 500 * MS) & (times < back_ns)).any()
    # Samples that arrived meanwhile are decided then, one after the other.
    late = (times == back_ns).sum()
    assert late == (back_ns - 500 * MS) // INTERVAL_NS + 1
    # The last sample was sent from the agent's old node, and none is lost.
    assert len(times) == 50


def test_state_competes_with_pushes_for_the_backbone() -> None:
    """Both go from the old edge node to the cart's node; observations come back."""
    arguments = {
        "edges": 2,
        "handover_interval": "100ms",
        "backbone_rate": "1Mbps",
        "hop_delay": "1ms",
        "duration": "190ms",
        "communication_infos": True,
    }
    _, free = decisions(migration="fixed", **arguments)[-1]
    _, busy = decisions(migration="follow", state_bytes=100_000, **arguments)[-1]
    assert busy["edge/agent"] == 0
    action, observation = (
        f"communication/{flow}/max_latency"
        for flow in ("agent_0/action_0/action", "observation_0/agent_0/observation")
    )
    assert busy[action] > free[action] + 0.002
    assert busy[observation] < free[observation] + 0.001


def test_a_fixed_agent_fails_where_a_following_agent_balances() -> None:
    """At 20 ms a hop; the experiment is benchmarks/networks/moving.py."""
    totals = {}
    for migration in ("fixed", "follow", "action"):
        env = edge_cart_pole_v0.raw_env(migration=migration, hop_delay="20ms", link="local")
        act = state_feedback_policy(env.action_space("agent_0"))
        env.reset(seed=1)
        totals[migration] = 0.0
        for _agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            totals[migration] += reward
            env.step(None if terminated or truncated else act(observation))
        env.close()
    assert totals["follow"] == totals["action"] == 500
    assert totals["fixed"] < 400
