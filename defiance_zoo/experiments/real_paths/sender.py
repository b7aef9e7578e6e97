# SPDX-License-Identifier: GPL-2.0-only
"""A QUIC sender with a decider of its window: `python -m ....sender DECIDER SECONDS INTERVAL`.

The program sends to the first receiver that asks, and then writes its report as a line of JSON.
"""

from __future__ import annotations

import asyncio
import datetime
import json
import os
import sys
from functools import partial
from typing import Any

from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import serve
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import QuicEvent, StreamDataReceived

from defiance_zoo.envs.tcp_congestion.flow_observation import make_observer
from defiance_zoo.envs.tcp_congestion.flow_state import move_window
from defiance_zoo.experiments.real_paths.congestion_control import (
    NAME,
    HeldWindow,
    MeasuredControl,
    register,
)
from defiance_zoo.experiments.real_paths.measurement import AGENT, Decider, find_decider
from defiance_zoo.experiments.real_paths.receiver import PORT, settings

READY = "ready"
"""The line that the program writes when it is ready for a receiver."""
_AHEAD = 1 << 20
"""Bytes in the sender's buffer, as in the simulation (`socket_buffer`)."""
_LARGEST = 1000
"""Segments in the largest window, as in the simulation (`max_window`)."""


class Upload(QuicConnectionProtocol):
    """Sends as much as the window allows, once the receiver has asked for data."""

    def __init__(
        self,
        *arguments: Any,
        controls: list[MeasuredControl],
        first: asyncio.Future[Upload],
        **more: Any,
    ) -> None:
        super().__init__(*arguments, **more)
        self.control = controls[-1]
        self._first = first
        self._requested = self._stream = -1
        self._written = 0

    def quic_event_received(self, event: QuicEvent) -> None:
        """Store the stream of the receiver's request."""
        if isinstance(event, StreamDataReceived) and not self._first.done():
            self._requested = event.stream_id
            self._first.set_result(self)

    async def begin(self) -> None:
        """Begin to send after a round trip of a small packet, as after TCP's handshake."""
        await self.ping()
        self.control.begin(self._loop.time())
        self._stream = self._requested
        self.transmit()

    def transmit(self) -> None:
        """Fill the buffer, and send."""
        more = self.control.meter.sent_bytes + _AHEAD - self._written
        if self._stream >= 0 and more > 0:
            self._quic.send_stream_data(self._stream, bytes(more))
            self._written += more
        super().transmit()


async def send(decider: Decider, seconds: float, interval: float) -> dict[str, Any]:
    """Send to the first receiver that asks, for some seconds, and return a report.

    It has `intervals`, the numbers of `sent` and `lost` packets, and `least_rtt`, the smallest
    round trip time in s. An interval has its `throughput` (acknowledged UDP payload in bit/s), mean
    `rtt` in s (0: unknown), and `late`: the delay in s of the decision at its end.
    """
    loop = asyncio.get_running_loop()
    first: asyncio.Future[Upload] = loop.create_future()
    controls = register(None if decider.policy else decider.name)
    server = await serve(
        "0.0.0.0",
        PORT,
        configuration=_with_certificate(
            settings(is_client=False, congestion_control_algorithm=NAME)
        ),
        create_protocol=partial(Upload, controls=controls, first=first),
    )
    print(READY, flush=True)
    upload = await first
    await upload.begin()
    intervals = await _decide(upload, decider, round(seconds / interval), interval)
    upload.close()
    server.close()
    meter = upload.control.meter
    return {
        "intervals": intervals,
        "sent": meter.sent_packets,
        "lost": meter.lost_packets,
        "least_rtt": meter.least_rtt,
    }


async def _decide(
    upload: Upload, decider: Decider, decisions: int, interval: float
) -> list[dict[str, float]]:
    """Set the window at the end of each interval, and return the measurements."""
    loop, control = asyncio.get_running_loop(), upload.control
    observe = make_observer(decider.observed)
    window, intervals = float(control.congestion_window), []
    begin = control.meter.begin
    for number in range(1, decisions + 1):
        due = begin + number * interval
        await asyncio.sleep(due - loop.time())
        now = loop.time()
        sample = control.meter.close_interval(
            now, control.congestion_window, control.bytes_in_flight
        )
        intervals.append({"throughput": sample.throughput, "rtt": sample.rtt, "late": now - due})
        if decider.policy is not None:
            action = decider.policy.act(AGENT, observe(sample), {})
            window = move_window(action, decider.actions, window, control.segment, _LARGEST)
            assert isinstance(control.inner, HeldWindow)
            control.inner.congestion_window = int(window)
            upload.transmit()
    return intervals


def _with_certificate(configuration: QuicConfiguration) -> QuicConfiguration:
    """Add a new certificate to a configuration; no files are left."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "defiance-zoo")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    with os.fdopen(os.memfd_create("certificate"), "wb") as file:
        file.write(certificate.public_bytes(serialization.Encoding.PEM))
        file.write(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        file.flush()
        configuration.load_cert_chain(f"/proc/self/fd/{file.fileno()}")
    return configuration


def main() -> None:
    """Send with the arguments of the command line, and write the report."""
    name, seconds, interval = sys.argv[1:]
    report = asyncio.run(send(find_decider(name), float(seconds), float(interval)))
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main()
