# SPDX-License-Identifier: GPL-2.0-only
"""Transfers in `scenarios/learning.cc`, with durations computed by hand.

Every link has 1 Mbit/s and 5 ms; agents decide at 10, 20, ... ms.
"""

from __future__ import annotations

import math
from typing import Any

from conftest import PROGRAMS

from defiance_zoo.bridge.simulation import Scenario, Transfer
from defiance_zoo.environments import EnvironmentSpec

LEARNING = Scenario("learning", PROGRAMS / "learning")
SPEC = EnvironmentSpec("learning_v0", LEARNING)

MS = 1_000_000
NS_PER_BYTE = 8_000
DELAY = 5 * MS
PPP, IPV4, UDP = 2, 20, 8
DATAGRAM = 1400
"""Largest payload of a datagram of a transfer."""
TCP, TIMESTAMPS, FRAME = 20, 12, 4
SEGMENT = 536
"""Bytes of the stream in a segment of ns-3's TCP."""
TCP_SEND_NS = 1
"""ns-3's TCP sends data one nanosecond after it was handed over."""


def udp_ns(size: int, ns_per_byte: int = NS_PER_BYTE) -> int:
    """Return the duration over UDP: datagrams are sent back to back, each with its headers."""
    datagrams = math.ceil(size / DATAGRAM)
    return (size + datagrams * (UDP + IPV4 + PPP)) * ns_per_byte + DELAY


def tcp_ns(size: int, ns_per_byte: int = NS_PER_BYTE) -> int:
    """Return the duration over TCP: a frame header and the content in segments without gaps."""
    stream = FRAME + size
    segments = math.ceil(stream / SEGMENT)
    on_the_wire = stream + segments * (TCP + TIMESTAMPS + IPV4 + PPP)
    return TCP_SEND_NS + on_the_wire * ns_per_byte + DELAY


def advance(env: Any, rounds: int) -> dict[str, float]:
    """Play some rounds; return the last rewards."""
    rewards: dict[str, float] = {}
    for _ in range(rounds):
        _, rewards, *_ = env.step(dict.fromkeys(env.agents, 1))
    return rewards


def finish(env: Any) -> None:
    """Play to the end of the episode."""
    while env.agents:
        advance(env, 1)


def begin(env: Any, time_ms: int = 20) -> Any:
    """Reset, and play until a multiple of 10 ms; TCP is connected at 20 ms."""
    env.reset(seed=1)
    advance(env, time_ms // 10 - 1)
    assert env.sim_time_ns == time_ms * MS
    return env


def only(env: Any) -> Transfer:
    (transfer,) = env.transfers.values()
    return transfer


HAND = {"udp": udp_ns, "tcp": tcp_ns, "simple": lambda size: DELAY}
