# SPDX-License-Identifier: GPL-2.0-only
"""Measurements of a sender in monitor intervals, from its packets and acknowledgements."""

from __future__ import annotations

import math
from dataclasses import dataclass

from defiance_zoo.envs.tcp_congestion.flow_observation import FlowSample


@dataclass
class FlowMeter:
    """Counts the packets of a sender, as `measure/tcp-flow.cc` does in the simulation.

    Attributes:
        segment: Size of a full packet, in bytes.
        begin: Beginning of the current interval, in seconds.
        least_rtt: The smallest round trip time so far, in seconds; infinite if unknown.
        sent_bytes: Sent bytes so far.
        sent_packets: Sent packets so far.
        lost_packets: Lost packets so far; a sender resends their data at once.
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
        """End the monitor interval, begin the next one, and return the measurements.

        Args:
            now: Time in seconds.
            window: Congestion window in bytes.
            in_flight: Unacknowledged bytes.
        """
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
