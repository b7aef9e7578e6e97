# SPDX-License-Identifier: GPL-2.0-only
"""Measurements of flows, and congestion controls of aioquic that use them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from aioquic.quic.congestion.base import (
    QuicCongestionControl,
    create_congestion_control,
    register_congestion_control,
)
from aioquic.quic.packet_builder import QuicSentPacket

from defiance_zoo.envs.tcp_congestion.flow_observation import FlowSample


@dataclass
class FlowMeter:
    """Counts the packets of a sender, as `measure/tcp-flow.h` does in the simulation.

    Times are in seconds, sizes in bytes; the smallest round trip time is infinite if unknown.
    """

    segment: int
    begin: float
    least_rtt: float = math.inf
    sent_bytes: int = 0
    sent_packets: int = 0
    lost_packets: int = 0
    _sent_before: int = 0
    _acked: int = 0
    _lost: int = 0
    _rtt_sum: float = 0.0
    _rtt_count: int = 0
    _last_rtt: float = 0.0
    _threshold: float = math.inf

    def note_sent(self, size: int) -> None:
        """Count a sent packet and its bytes."""
        self.sent_bytes += size
        self.sent_packets += 1

    def note_acked(self, size: int) -> None:
        """Count the bytes of an acknowledged packet."""
        self._acked += size

    def note_rtt(self, rtt: float) -> None:
        """Count the round trip time of an acknowledgement, in seconds."""
        self._rtt_sum += rtt
        self._rtt_count += 1
        self._last_rtt = rtt
        self.least_rtt = min(self.least_rtt, rtt)

    def note_lost(self, packets: int, window: int) -> None:
        """Count lost packets, which set the slow start threshold to the window in bytes."""
        self._lost += packets
        self.lost_packets += packets
        if packets:
            self._threshold = window

    def close_interval(self, now: float, window: int, in_flight: int) -> FlowSample:
        """End the monitor interval, begin the next one, and return the measurements."""
        duration = now - self.begin
        sample = FlowSample(
            window=window,
            segment=self.segment,
            in_flight=in_flight,
            acked=self._acked / self.segment,
            sent=(self.sent_bytes - self._sent_before) / self.segment,
            again=self._lost,
            throughput=8 * self._acked / duration if duration > 0 else 0.0,
            rtt=self._rtt_sum / self._rtt_count if self._rtt_count else self._last_rtt,
            least_rtt=self.least_rtt if self.least_rtt < math.inf else 0.0,
            duration=duration,
            threshold=self._threshold,
        )
        self.begin, self._sent_before, self._acked, self._lost = now, self.sent_bytes, 0, 0
        self._rtt_sum, self._rtt_count = 0.0, 0
        return sample


NAME = "defiance-measured"
"""The algorithm of a `QuicConfiguration` after `register`."""


class HeldWindow(QuicCongestionControl):
    """A congestion window that losses and acknowledgements do not change.

    It begins with ten full packets, as in the environment.
    """

    def on_packet_sent(self, *, packet: QuicSentPacket) -> None:
        self.bytes_in_flight += packet.sent_bytes

    def on_packet_acked(self, *, now: float, packet: QuicSentPacket) -> None:
        self.bytes_in_flight -= packet.sent_bytes

    def on_packets_expired(self, *, packets: Iterable[QuicSentPacket]) -> None:
        self.bytes_in_flight -= sum(packet.sent_bytes for packet in packets)

    def on_packets_lost(self, *, now: float, packets: Iterable[QuicSentPacket]) -> None:
        self.on_packets_expired(packets=packets)

    def on_persistent_congestion(self) -> None:
        """Leave the window unchanged."""

    def on_rtt_measurement(self, *, now: float, rtt: float) -> None:
        """Leave the window unchanged."""


class MeasuredControl(QuicCongestionControl):
    """Passes all events on to another congestion control, and measures them."""

    def __init__(self, inner: QuicCongestionControl, segment: int) -> None:
        self.inner, self.segment = inner, segment
        self.meter = FlowMeter(segment, 0.0)

    def begin(self, now: float) -> None:
        """Begin the first interval at `now`, in seconds.

        The handshake's counts are discarded. Its smallest round trip time is kept, as for TCP in
        the simulation.
        """
        self.meter = FlowMeter(self.segment, now, self.meter.least_rtt)

    # The connection reads these two attributes before it sends.
    @property
    def bytes_in_flight(self) -> int:  # type: ignore[override]
        return self.inner.bytes_in_flight

    @property
    def congestion_window(self) -> int:  # type: ignore[override]
        return self.inner.congestion_window

    def on_packet_sent(self, *, packet: QuicSentPacket) -> None:
        self.meter.note_sent(packet.sent_bytes)
        self.inner.on_packet_sent(packet=packet)

    def on_packet_acked(self, *, now: float, packet: QuicSentPacket) -> None:
        self.meter.note_acked(packet.sent_bytes)
        self.inner.on_packet_acked(now=now, packet=packet)

    def on_packets_expired(self, *, packets: Iterable[QuicSentPacket]) -> None:
        """See `QuicCongestionControl`: after a probe timeout, data of a packet is resent."""
        listed = list(packets)
        self.meter.note_lost(len(listed), self.congestion_window)
        self.inner.on_packets_expired(packets=listed)

    def on_packets_lost(self, *, now: float, packets: Iterable[QuicSentPacket]) -> None:
        listed = list(packets)
        self.meter.note_lost(len(listed), self.congestion_window)
        self.inner.on_packets_lost(now=now, packets=listed)

    def on_persistent_congestion(self) -> None:
        self.inner.on_persistent_congestion()

    def on_rtt_measurement(self, *, now: float, rtt: float) -> None:
        self.meter.note_rtt(rtt)
        self.inner.on_rtt_measurement(now=now, rtt=rtt)


def register(algorithm: str | None) -> list[MeasuredControl]:
    """Register the algorithm `NAME` with aioquic; return a list that gets each later control.

    The window is that of an algorithm of aioquic, such as `cubic`; None: `HeldWindow`.
    """
    made: list[MeasuredControl] = []

    def make(*, max_datagram_size: int) -> MeasuredControl:
        inner = (
            HeldWindow(max_datagram_size=max_datagram_size)
            if algorithm is None
            else create_congestion_control(algorithm, max_datagram_size=max_datagram_size)
        )
        made.append(MeasuredControl(inner, max_datagram_size))
        return made[-1]

    register_congestion_control(NAME, make)
    return made
