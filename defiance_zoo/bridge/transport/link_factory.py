# SPDX-License-Identifier: GPL-2.0-only
"""Which link carries the messages of simulations."""

from __future__ import annotations

from typing import Literal

from defiance_zoo.bridge.system.directories import sweep
from defiance_zoo.bridge.system.extension import exchange_module
from defiance_zoo.bridge.system.resources import occupy_standard_descriptors
from defiance_zoo.bridge.transport.pipe_link import PipeLink
from defiance_zoo.bridge.transport.shared_memory_link import SharedMemoryLink
from defiance_zoo.bridge.transport.step_link import StepLink
from defiance_zoo.bridge.transport.zmq_endpoint import Endpoint
from defiance_zoo.bridge.transport.zmq_link import ZmqLink

LinkKind = Literal["zmq", "local"]


def open_link(
    kind: LinkKind,
    endpoint: Endpoint,
    *,
    timeout_s: float,
    spin_us: float | None,
    attached: bool,
    many: bool,
) -> StepLink:
    """Return a link that no simulation uses yet.

    Args:
        kind: `local` for simulations that this process starts.
        endpoint: Endpoint that simulations connect to, with `zmq`.
        timeout_s: How long a simulation may leave a message unread, in seconds.
        spin_us: How long to look for a message before sleeping, in microseconds, with `local`; None
            for 0.
        attached: Whether simulations are started by hand.
        many: Whether there are several side by side.

    Raises:
        ParameterError: The endpoint cannot be used.
        ResourcesExhausted: There are too few descriptors or threads, or there is no room for a
            socket.
    """
    occupy_standard_descriptors()
    sweep()
    exchange_module()  # while there are descriptors to load it through
    if kind == "zmq":
        return ZmqLink(endpoint, watch_disconnects=attached)
    if many or spin_us:
        return SharedMemoryLink(timeout_s, spin_us or 0.0)
    return PipeLink(timeout_s)
