# SPDX-License-Identifier: GPL-2.0-only
"""A receiver over QUIC: `python -m defiance_zoo.experiments.real_paths.receiver ADDRESS`.

The program asks the sender at an address for data, and acknowledges it until the connection ends.
"""

from __future__ import annotations

import asyncio
import ssl
import sys
from typing import Any

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import QuicEvent

PORT = 4433
_CREDIT = 1 << 40
"""Flow control limit in bytes, so large that the receiver never blocks the sender."""


def settings(**more: Any) -> QuicConfiguration:
    """Return a QUIC configuration with IPv4 packets of 1500 bytes."""
    return QuicConfiguration(
        alpn_protocols=["defiance"],
        max_datagram_size=1472,
        max_data=_CREDIT,
        max_stream_data=_CREDIT,
        **more,
    )


class Download(QuicConnectionProtocol):
    """Receives data, and discards it."""

    def ask(self) -> None:
        """Ask the sender for data."""
        self._quic.send_stream_data(self._quic.get_next_available_stream_id(), b"send")
        self.transmit()

    def quic_event_received(self, event: QuicEvent) -> None:
        """Discard the data."""


async def receive(address: str) -> None:
    """Receive until the connection ends, and discard the data."""
    # The sender makes its certificate for this transfer, so no authority has signed it.
    configuration = settings(is_client=True, verify_mode=ssl.CERT_NONE)
    async with connect(
        address, PORT, configuration=configuration, create_protocol=Download
    ) as connection:
        assert isinstance(connection, Download)
        connection.ask()
        await connection.wait_closed()


if __name__ == "__main__":
    asyncio.run(receive(sys.argv[1]))
