# SPDX-License-Identifier: GPL-2.0-only
"""Communication reports of carts and agents: counts, bytes, times and shares, by hand."""

from __future__ import annotations

from typing import Any

import pytest
from cart_pole_messages import IPV4, MS, UDP, action_bytes, observation_bytes

from defiance_zoo.bridge.simulation import (
    CommunicationFlow,
    CommunicationLink,
    CommunicationPath,
    CommunicationReport,
)
from defiance_zoo.envs import cart_pole_v0

PPP, ETHERNET, LEAST_ETHERNET_PAYLOAD = 2, 14 + 4, 46
TCP, TCP_SYN, FRAME = 20 + 12, 36, 4
"""Headers of TCP with time stamps, and of its first segment; and the channel's frame header."""
RATE = 10_000_000
STEPS = 50
"""Samples in a second, with a decision each; the last sample is still in flight."""


def play(**arguments: Any) -> CommunicationReport:
    """Play a second of simulated time; return the communication report."""
    env = cart_pole_v0.parallel_env(
        **{
            "duration": "1s",
            "terminate_when_fallen": False,
            "communication_report": True,
            "link": "local",
            **arguments,
        }
    )
    env.reset(seed=1)
    while env.agents:
        env.step({agent: env.action_space(agent).sample() * 0 for agent in env.agents})
    report = env.communication_report()
    env.close()
    return report


def flow(report: CommunicationReport, kind: str) -> CommunicationFlow:
    (found,) = (each for each in report.flows if each.kind == kind)
    return found


def path(report: CommunicationReport, sender: str, receiver: str) -> CommunicationPath:
    (found,) = (p for p in report.paths if (p.sender, p.receiver) == (sender, receiver))
    return found


def link(report: CommunicationReport, application: str) -> CommunicationLink:
    (found,) = (each for each in report.links if application in each.applications)
    return found


@pytest.mark.parametrize(("delay_ms", "rate"), [(0, RATE), (2, RATE), (3, 1_000_000)])
def test_datagrams_are_counted_as_computed_by_hand(delay_ms: int, rate: int) -> None:
    report = play(transport="udp", delay=f"{delay_ms}ms", data_rate=f"{rate}bps")
    assert report.sim_time_ns == 1000 * MS
    for kind, ends, size, sent in (
        ("observation", ("observation_0", "agent_0"), observation_bytes(), STEPS + 1),
        ("action", ("agent_0", "action_0"), action_bytes(0), STEPS),
    ):
        reported = flow(report, kind)
        assert (reported.sender, reported.receiver) == ends
        assert reported.tx_messages == sent
        assert reported.rx_messages == STEPS
        assert reported.tx_payload_bytes == reported.tx_bytes == sent * size
        assert reported.rx_payload_bytes == reported.rx_bytes == STEPS * size
        assert reported.dropped_messages == reported.dropped_bytes == 0
        assert reported.missing_share == pytest.approx(1 - STEPS / sent)
        frame = size + UDP + IPV4 + PPP
        latency_ns = delay_ms * MS + frame * 8 * 10**9 // rate
        assert round(reported.mean_latency * 1e9) == latency_ns
        assert {
            round(each * 1e9)
            for each in (
                reported.min_latency,
                reported.p50_latency,
                reported.p95_latency,
                reported.p99_latency,
                reported.max_latency,
            )
        } == {latency_ns}
        packets = path(report, *ends)
        assert packets.packets == sent
        assert packets.ip_bytes == sent * (size + UDP + IPV4)
        assert packets.wire_bytes == STEPS * frame
        assert path(report, *reversed(ends)).packets == 0
        used = link(report, ends[0])
        assert (used.frames, used.bytes) == (STEPS, STEPS * frame)
        assert (used.rl_frames, used.rl_bytes) == (used.frames, used.bytes)
        assert used.data_rate_bps == rate
        assert used.counted_s == 1
        assert used.utilisation == used.rl_share == pytest.approx(STEPS * frame * 8 / rate)
    assert link(report, "observation_0").applications == ("observation_0", "action_0")
    assert flow(report, "reward").max_latency == 0


def test_a_shared_medium_is_counted_as_one_link() -> None:
    report = play(transport="udp", access="csma", carts=3)
    (bus,) = report.links
    up = observation_bytes() + UDP + IPV4 + ETHERNET
    down = max(action_bytes(0) + UDP + IPV4, LEAST_ETHERNET_PAYLOAD) + ETHERNET
    assert bus.bytes == bus.rl_bytes == 3 * STEPS * (up + down)
    assert len(bus.applications) == 3 * 3
    assert sum(each.wire_bytes for each in report.paths) == bus.bytes


def test_streams_are_counted_with_all_tcp_segments() -> None:
    """Each message fits into a segment; the other segments are acknowledgements and handshakes.

    The sample of the last instant waits: ns-3's TCP sends it one nanosecond later.
    """
    report = play(transport="tcp", delay="2ms")
    sent = flow(report, "observation")
    assert sent.tx_bytes == sent.tx_payload_bytes + FRAME * sent.tx_messages
    for one, other, messages in (
        ("observation_0", "agent_0", sent),
        ("action_0", "agent_0", flow(report, "action")),
    ):
        pair = [path(report, one, other), path(report, other, one)]
        headers = sum(each.packets for each in pair) * (IPV4 + TCP) + 2 * (TCP_SYN - TCP)
        assert sum(each.ip_bytes for each in pair) == messages.rx_bytes + headers
        assert min(each.packets for each in pair) > STEPS / 4
    for node, applications in (
        ("observation_0", ("observation_0", "action_0")),
        ("agent_0", ("agent_0",)),
    ):
        used = link(report, node)
        own = [each for each in report.paths if each.sender in applications]
        assert used.bytes == used.rl_bytes == sum(each.wire_bytes for each in own)
        under_way = sum(each.packets for each in own) - used.frames
        assert 0 <= under_way <= 1
    packets = sum(each.packets for each in report.paths)
    assert packets > 2 * STEPS


@pytest.mark.parametrize("loss", [0.1, 0.3])
def test_lost_messages_are_missing_in_the_counts(loss: float) -> None:
    """Each observation that arrives causes a decision; its action is sent, and may be lost."""
    env = cart_pole_v0.raw_env(
        transport="udp",
        loss=loss,
        terminate_when_fallen=False,
        communication_report=True,
        link="local",
    )
    env.reset(seed=4)
    decisions = 0
    for _ in env.agent_iter():
        over = env.terminations["agent_0"] or env.truncations["agent_0"]
        decisions += not over
        env.step(None if over else 0)
    report = env.communication_report()
    env.close()
    observations, actions = flow(report, "observation"), flow(report, "action")
    assert observations.tx_messages == 501
    assert observations.rx_messages == actions.tx_messages == decisions
    assert observations.missing_share == 1 - decisions / 501
    assert 0 < actions.rx_messages < actions.tx_messages
    assert abs(actions.missing_share - loss) < 0.1
    assert path(report, "observation_0", "agent_0").packets == 501


def test_messages_over_simple_channels_are_on_no_link() -> None:
    report = play(delay="2ms")
    assert flow(report, "observation").mean_latency == 0.002
    assert report.paths == report.links == ()


def test_loopback_traffic_is_on_no_link() -> None:
    report = play(placement="local", transport="udp")
    there = path(report, "observation_0", "agent_0")
    assert (there.packets > 0, there.wire_bytes, report.links) == (True, 0, ())


@pytest.mark.parametrize("access", ["wifi", "lte"])
def test_links_without_their_own_data_rate_are_left_out(access: str) -> None:
    """Packets are counted at their origin; their frames only behind the radio hop."""
    report = play(transport="udp", access=access)
    packets = path(report, "observation_0", "agent_0")
    assert packets.packets == STEPS + 1
    assert packets.wire_bytes == STEPS * (observation_bytes() + UDP + IPV4 + PPP)
    assert not any("observation_0" in each.applications for each in report.links)
