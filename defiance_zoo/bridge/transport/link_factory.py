# SPDX-License-Identifier: GPL-2.0-only
"""The choice of the link that carries the messages of simulations."""

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
    """Return a new link.

    Args:
        kind: `local` for simulations that this process starts.
        endpoint: Endpoint that simulations connect to, with `zmq`.
        timeout_s: Longest time in which a simulation has to read a message, in seconds.
        spin_us: With `local`, time of polling for a message before sleeping, in microseconds; None:
            0.
        attached: Whether simulations are started by hand.
        many: Whether several simulations run side by side.

    Raises:
        ParameterError: The endpoint cannot be used.
        ResourcesExhausted: There are too few descriptors or threads, or there is no room for a
            socket.
    """
    occupy_standard_descriptors()
    sweep()
    exchange_module()  # loaded while there are descriptors for it
    if kind == "zmq":
        return ZmqLink(endpoint, watch_disconnects=attached)
    if many or spin_us:
        return SharedMemoryLink(timeout_s, spin_us or 0.0)
    return PipeLink(timeout_s)
