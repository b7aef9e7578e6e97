# SPDX-License-Identifier: GPL-2.0-only
"""Traffic that the scenario orders, and of which it learns the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from defiance_zoo.scenario.native import core
from defiance_zoo.scenario.network import Node


def download(
    server: Node,
    client: Node,
    size: int,
    on_done: Callable[[], Any],
    *,
    persistent: bool = True,
) -> None:
    """Download bytes over TCP, as a client of HTTP does.

    The client sends a request of 200 bytes, and the server answers. Downloads of the same nodes
    happen one after the other, in the order of the calls. A connection that is given up, because a
    packet was sent in vain several times, ends the episode with an error.

    Args:
        server: The node that sends. It is reached by its first address.
        client: The node that receives.
        size: Bytes, without headers.
        on_done: Is called when the last byte has arrived; takes nothing.
        persistent: Whether the downloads of these nodes use one connection, which keeps its
            congestion window; if not, each of them opens and closes its own.

    Raises:
        ValueError: The size is not positive, or a node has no address.
    """
    if size <= 0:
        raise ValueError(f"a download has at least one byte, and not {size}")
    for node in (server, client):
        node.address()
    core.download(server, client, size, on_done, persistent)
