# SPDX-License-Identifier: GPL-2.0-only
"""Some decisions, and the sizes of messages of carts and agents."""

from __future__ import annotations

from typing import Any

import numpy as np

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb

START = [0.01, -0.02, 0.03, 0.04]
ACTIONS = [0, 1, 1, 0, 1, 0, 0, 1]
MS = 1_000_000
IPV4, UDP = 20, 8
PPP, TCP = 2, 20
TCP_TIMESTAMPS = 12
"""ns-3's TCP sends the time-stamp option, 10 bytes padded to 12, with every segment."""
TCP_SEND_NS = 1
"""ns-3's TCP sends an application's data one nanosecond later."""
FRAME = {"udp": 0, "tcp": 4}
"""Bytes of the channel's header before a message."""


def observation_bytes() -> int:
    """Return the size of an observation message."""
    message = pb.DataContainer()
    message.dict.entries.add(key="fallen").value.discrete = 0
    tensor = message.dict.entries.add(key="state").value.box
    tensor.dtype, tensor.data = pb.DTYPE_FLOAT32, bytes(16)
    tensor.shape.append(4)
    return len(message.SerializeToString())


def action_bytes(action: int) -> int:
    """Return the size of an action message."""
    message = pb.DataContainer()
    message.dict.entries.add(key="default").value.discrete = action
    return len(message.SerializeToString())


def on_the_wire_ns(payload: int, transport: str, rate: int) -> int:
    """Return the time from sending a message to the end of its packet's transmission."""
    headers = PPP + IPV4 + (UDP if transport == "udp" else TCP + TCP_TIMESTAMPS)
    serialisation = round((payload + FRAME[transport] + headers) * 8 * 10**9 / rate)
    return serialisation + (TCP_SEND_NS if transport == "tcp" else 0)


def play(env: Any, actions: list[int]) -> list[tuple[int, np.ndarray]]:
    """Take the given actions; return the time in ns and the observation of each decision."""
    env.reset(seed=1, options={"initial_state": START})
    reported = []
    for action in actions:
        observation, _, terminated, truncated, info = env.last()
        assert not terminated
        assert not truncated
        reported.append((info["sim_time_ns"], observation))
        env.step(action)
    return reported
