# SPDX-License-Identifier: GPL-2.0-only
"""A sender is measured by its packets, and losses do not change a held window."""

from __future__ import annotations

import math

import pytest
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.congestion.base import create_congestion_control
from aioquic.quic.connection import QuicConnection
from aioquic.quic.packet import QuicPacketType
from aioquic.quic.packet_builder import QuicSentPacket
from aioquic.tls import Epoch

from defiance_zoo.envs.tcp_congestion.flow_observation import make_observer
from defiance_zoo.envs.tcp_congestion.flow_state import HISTORY
from defiance_zoo.experiments.real_paths.congestion_control import (
    NAME,
    FlowMeter,
    MeasuredControl,
    register,
)

SEGMENT = 1000


def make_packet(number: int, sent_time: float = 0.0) -> QuicSentPacket:
    """Return a full packet."""
    return QuicSentPacket(
        Epoch.ONE_RTT, True, True, False, number, QuicPacketType.ONE_RTT, sent_time, SEGMENT
    )


def make_control(algorithm: str | None) -> MeasuredControl:
    """Return the congestion control that aioquic makes for a new connection."""
    controls = register(algorithm)
    made = create_congestion_control(NAME, max_datagram_size=SEGMENT)
    assert controls == [made]
    assert isinstance(made, MeasuredControl)
    return made


def test_an_interval_counts_packets_and_acknowledgements() -> None:
    meter = FlowMeter(SEGMENT, begin=5.0)
    for _ in range(10):
        meter.note_sent(SEGMENT)
    for rtt in (0.05, 0.04, 0.06):
        meter.note_acked(SEGMENT)
        meter.note_rtt(rtt)
    meter.note_lost(2, window=8000)
    sample = meter.close_interval(5.1, window=12_000, in_flight=5000)
    assert (sample.sent, sample.acked, sample.again) == (10, 3, 2)
    assert sample.throughput == pytest.approx(3 * 8 * SEGMENT / 0.1)
    assert (sample.rtt, sample.least_rtt) == (pytest.approx(0.05), 0.04)
    assert (sample.duration, sample.threshold) == (pytest.approx(0.1), 8000)
    assert (sample.window, sample.in_flight) == (12_000, 5000)


def test_an_interval_without_acknowledgements_keeps_the_last_round_trip_time() -> None:
    meter = FlowMeter(SEGMENT, begin=0.0)
    before = meter.close_interval(0.1, window=SEGMENT, in_flight=0)
    assert (before.rtt, before.least_rtt, before.threshold) == (0.0, 0.0, math.inf)
    for rtt in (0.02, 0.03):
        meter.note_rtt(rtt)
    assert meter.close_interval(0.2, window=SEGMENT, in_flight=0).rtt == pytest.approx(0.025)
    last = meter.close_interval(0.3, window=SEGMENT, in_flight=0)
    assert (last.rtt, last.least_rtt, last.sent, last.throughput) == (0.03, 0.02, 0, 0)


def test_events_of_the_library_become_an_observation_computed_by_hand() -> None:
    """Of ten packets in 100 ms, eight are acknowledged after 50 ms, and one is lost."""
    control = make_control(None)
    control.begin(0.0)
    packets = [make_packet(number) for number in range(10)]
    for packet in packets:
        control.on_packet_sent(packet=packet)
    for packet in packets[:8]:
        control.on_packet_acked(now=0.05, packet=packet)
        control.on_rtt_measurement(now=0.05, rtt=0.05)
    control.on_packets_lost(now=0.06, packets=packets[8:9])
    assert control.bytes_in_flight == SEGMENT
    sample = control.meter.close_interval(0.1, control.congestion_window, control.bytes_in_flight)
    seen = make_observer(HISTORY)(sample)
    # 8 segments in 0.1 s times 0.05 s are 4 segments of the window of 10.
    assert seen[:7] == pytest.approx([math.log2(0.4), 0, 0.1, 0.8, 0.1, 0, 0], abs=1e-6)
    assert seen[28:32] == pytest.approx(
        [math.log2(0.4), math.log2(0.4), math.log2(10), math.log2(50)], abs=1e-6
    )


def test_losses_do_not_change_a_held_window() -> None:
    control = make_control(None)
    packets = [make_packet(number) for number in range(6)]
    for packet in packets:
        control.on_packet_sent(packet=packet)
    control.on_packets_lost(now=1.0, packets=packets[:2])
    control.on_packets_expired(packets=iter(packets[2:3]))
    control.on_persistent_congestion()
    control.on_packet_acked(now=1.0, packet=packets[3])
    assert control.congestion_window == 10 * SEGMENT
    assert control.bytes_in_flight == 2 * SEGMENT
    assert control.meter.lost_packets == 3


@pytest.mark.parametrize("algorithm", ["reno", "cubic"])
def test_measuring_does_not_change_the_windows_of_the_library(algorithm: str) -> None:
    measured = make_control(algorithm)
    bare = create_congestion_control(algorithm, max_datagram_size=SEGMENT)
    windows = []
    for control in (measured, bare):
        seen = []
        packets = [make_packet(number, 0.01 * number) for number in range(40)]
        for number, packet in enumerate(packets):
            control.on_packet_sent(packet=packet)
            if number == 20:
                control.on_packets_lost(now=0.3, packets=packets[19:20])
            elif number > 2 and number != 22:
                control.on_packet_acked(now=0.01 * number, packet=packets[number - 3])
                control.on_rtt_measurement(now=0.01 * number, rtt=0.03)
            seen.append((control.congestion_window, control.bytes_in_flight))
        windows.append(seen)
    assert windows[0] == windows[1]
    assert len(set(windows[0])) > 10


def test_a_connection_reads_the_window_of_a_measured_control() -> None:
    controls = register(None)
    QuicConnection(configuration=QuicConfiguration(congestion_control_algorithm=NAME))
    assert [each.congestion_window for each in controls] == [10 * controls[0].segment]
