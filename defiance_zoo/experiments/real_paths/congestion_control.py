# SPDX-License-Identifier: GPL-2.0-only
"""Congestion control of QUIC senders: measurements, and windows that a decider sets."""

from __future__ import annotations

from collections.abc import Iterable

from aioquic.quic.congestion.base import (
    QuicCongestionControl,
    create_congestion_control,
    register_congestion_control,
)
from aioquic.quic.packet_builder import QuicSentPacket

from defiance_zoo.experiments.real_paths.flow_meter import FlowMeter

NAME = "defiance-measured"
"""The algorithm of a `QuicConfiguration` after `register`."""


class HeldWindow(QuicCongestionControl):
    """A congestion window that losses and acknowledgements do not change.

    It begins with ten full packets, as in the environment.
    """

    def on_packet_sent(self, *, packet: QuicSentPacket) -> None:
        """See `QuicCongestionControl`."""
        self.bytes_in_flight += packet.sent_bytes

    def on_packet_acked(self, *, now: float, packet: QuicSentPacket) -> None:
        """See `QuicCongestionControl`."""
        self.bytes_in_flight -= packet.sent_bytes

    def on_packets_expired(self, *, packets: Iterable[QuicSentPacket]) -> None:
        """See `QuicCongestionControl`."""
        self.bytes_in_flight -= sum(packet.sent_bytes for packet in packets)

    def on_packets_lost(self, *, now: float, packets: Iterable[QuicSentPacket]) -> None:
        """See `QuicCongestionControl`."""
        self.on_packets_expired(packets=packets)

    def on_persistent_congestion(self) -> None:
        """Leave the window unchanged."""

    def on_rtt_measurement(self, *, now: float, rtt: float) -> None:
        """Leave the window unchanged."""


class MeasuredControl(QuicCongestionControl):
    """Passes all events on to another congestion control, and measures them.

    Attributes:
        inner: The wrapped congestion control.
        segment: Size of a full packet, in bytes.
        meter: Measurements of the connection; `begin` makes a new object.
    """

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
        """Value of `inner`."""
        return self.inner.bytes_in_flight

    @property
    def congestion_window(self) -> int:  # type: ignore[override]
        """Value of `inner`."""
        return self.inner.congestion_window

    def on_packet_sent(self, *, packet: QuicSentPacket) -> None:
        """See `QuicCongestionControl`."""
        self.meter.note_sent(packet.sent_bytes)
        self.inner.on_packet_sent(packet=packet)

    def on_packet_acked(self, *, now: float, packet: QuicSentPacket) -> None:
        """See `QuicCongestionControl`."""
        self.meter.note_acked(packet.sent_bytes)
        self.inner.on_packet_acked(now=now, packet=packet)

    def on_packets_expired(self, *, packets: Iterable[QuicSentPacket]) -> None:
        """See `QuicCongestionControl`: after a probe timeout, data of a packet is resent."""
        listed = list(packets)
        self.meter.note_lost(len(listed), self.congestion_window)
        self.inner.on_packets_expired(packets=listed)

    def on_packets_lost(self, *, now: float, packets: Iterable[QuicSentPacket]) -> None:
        """See `QuicCongestionControl`."""
        listed = list(packets)
        self.meter.note_lost(len(listed), self.congestion_window)
        self.inner.on_packets_lost(now=now, packets=listed)

    def on_persistent_congestion(self) -> None:
        """See `QuicCongestionControl`."""
        self.inner.on_persistent_congestion()

    def on_rtt_measurement(self, *, now: float, rtt: float) -> None:
        """See `QuicCongestionControl`."""
        self.meter.note_rtt(rtt)
        self.inner.on_rtt_measurement(now=now, rtt=rtt)


def register(algorithm: str | None) -> list[MeasuredControl]:
    """Register the algorithm `NAME` with aioquic.

    Args:
        algorithm: Algorithm of aioquic that sets the window, such as `cubic`; None: `HeldWindow`.

    Returns:
        A list to which each later connection adds its control.
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
