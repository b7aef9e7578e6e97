# SPDX-License-Identifier: GPL-2.0-only
"""Receive by QUIC: `python -m defiance_zoo.experiments.real_paths.receiver ADDRESS`.

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
"""Bytes that the sender may send: the receiver never makes it wait."""


def settings(**more: Any) -> QuicConfiguration:
    """Return a configuration of QUIC with packets of 1500 bytes, those of IPv4."""
    return QuicConfiguration(
        alpn_protocols=["defiance"],
        max_datagram_size=1472,
        max_data=_CREDIT,
        max_stream_data=_CREDIT,
        **more,
    )


class Download(QuicConnectionProtocol):
    """Takes data, and keeps none of it."""

    def ask(self) -> None:
        """Ask the sender for data."""
        self._quic.send_stream_data(self._quic.get_next_available_stream_id(), b"send")
        self.transmit()

    def quic_event_received(self, event: QuicEvent) -> None:
        """Drop the data."""


async def receive(address: str) -> None:
    """Receive until the connection ends; the data is not kept.

    Args:
        address: Of the sender, IPv4.

    Raises:
        ConnectionError: The sender does not answer.
    """
    # The certificate of the sender is made for this transfer, and nobody vouches for it.
    anybody = settings(is_client=True, verify_mode=ssl.CERT_NONE)
    async with connect(
        address, PORT, configuration=anybody, create_protocol=Download
    ) as connection:
        assert isinstance(connection, Download)
        connection.ask()
        await connection.wait_closed()


if __name__ == "__main__":
    asyncio.run(receive(sys.argv[1]))
