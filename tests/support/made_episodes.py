# SPDX-License-Identifier: GPL-2.0-only
"""Episodes for pages, made by hand: known values, without a simulation."""

from __future__ import annotations

from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa

AgentColumns = namedtuple("AgentColumns", ["observation", "action"])
MARKUP = "<script>document.title = 'ran'</script><img src=x onerror=\"document.title = 'ran'\">"


def made_episode(steps: int = 50, *, seed: int = 1, name: str = "agent_0") -> Any:
    """Return an episode of two agents, `name` and agent_1, that decide every 10 ms.

    Messages go from the observer to the agent every 10 ms and take 4 ms; each tenth is lost. At the
    first device of the cable the queue's length is the number of the sample modulo 5, and 12,500
    bytes are sent between samples, which is the link's capacity.
    """
    rng = np.random.default_rng(seed)
    time = np.arange(steps) * 10_000_000
    agents = [name, "agent_1"]
    count = 2 * steps
    observations = rng.normal(size=(count, 4)).astype(np.float32).cumsum(axis=0)
    ended = np.zeros(count, dtype=bool)
    ended[-2:] = True
    table = pa.table(
        {
            "round": np.repeat(np.arange(steps), 2),
            "time_ns": np.repeat(time, 2),
            "agent": agents * steps,
            "observation": pa.FixedSizeListArray.from_arrays(observations.reshape(-1), 4),
            "action": pa.array(rng.integers(0, 2, count), mask=ended),
            "reward": np.ones(count),
            "terminated": ended,
            "truncated": np.zeros(count, dtype=bool),
            "info": ["{}"] * count,
        }
    )
    header = SimpleNamespace(
        columns={},
        environment="made_v0",
        versions={"defiance-zoo": "0", "ns-3": "3.44"},
        parameters={"delay": "4ms", "motto": name},
        seed=seed,
        rng=SimpleNamespace(seed=1, run=seed),
        interface="simultaneous",
        max_cycles=None,
        outcome="ended",
        failure="",
        captures=(),
        notes=(),
        agents={each: AgentColumns("observation", "action") for each in agents},
        rounds=steps,
        end_ns=int(time[-1]),
    )
    return SimpleNamespace(
        header=header,
        steps=table,
        messages=_messages(time),
        links=_links(time),
        positions=pa.table({"time_ns": [0], "node": [1], "x": [10.0], "y": [0.0], "z": [0.0]}),
        moves=pa.table(
            {
                "time_ns": pa.array([], pa.int64()),
                "application": pa.array([], pa.string()),
                "node": pa.array([], pa.int64()),
            }
        ),
        events=pa.table(
            {
                "time_ns": [0, int(time[-1] // 2), int(time[-1])],
                "kind": ["joined", "handover", "ended"],
                "agent": [name, "agent_1", name],
                "text": ["", MARKUP, "terminated"],
            }
        ),
        topology=_topology(name),
        communication=None,
    )


def _messages(time: Any) -> Any:
    lost = np.arange(len(time)) % 10 == 9
    return pa.table(
        {
            "sent_ns": time,
            "received_ns": pa.array(time + 4_000_000, mask=lost),
            "channel": np.zeros(len(time), dtype=np.int64),
            "bytes": np.full(len(time), 100),
            "outcome": np.where(lost, "lost", "received").tolist(),
        }
    )


def _links(time: Any) -> Any:
    count = len(time)
    return pa.table(
        {
            "time_ns": time,
            "link": np.zeros(count, dtype=np.int64),
            "node": np.zeros(count, dtype=np.int64),
            "queue_packets": np.arange(count) % 5,
            "queue_bytes": np.arange(count) % 5 * 100,
            "sent_bytes": np.arange(count) * 12_500,
        }
    )


def _topology(name: str) -> dict[str, Any]:
    applications = [
        {"name": "observer", "role": "observation", "node": 0},
        {"name": "rewarder", "role": "reward", "node": 0},
        {"name": name, "role": "agent", "node": 1},
        {"name": "actor", "role": "action", "node": 0},
    ]
    return {
        "format": 1,
        "nodes": [
            {"id": 0, "name": "cart", "position": [0.0, 0.0, 0.0]},
            {"id": 1, "name": name, "position": [10.0, 0.0, 0.0]},
            {"id": 2, "name": "", "position": [5.0, 6.0, 0.0]},
        ],
        "links": [
            {
                "id": 0,
                "kind": "point-to-point",
                "name": "cable",
                "nodes": [0, 1],
                "rate_bps": 1e7,
                "delay_ns": 4e6,
            },
            {
                "id": 1,
                "kind": "wifi",
                "name": "radio",
                "nodes": [0, 1, 2],
                "rate_bps": None,
                "delay_ns": None,
            },
        ],
        "applications": applications,
        "channels": [
            {"id": 0, "from": "observer", "to": name, "kind": "udp"},
            {"id": 1, "from": "rewarder", "to": name, "kind": "udp"},
            {"id": 2, "from": name, "to": "actor", "kind": "simple"},
        ],
    }
