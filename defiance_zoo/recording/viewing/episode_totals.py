# SPDX-License-Identifier: GPL-2.0-only
"""Tables of the totals of an episode."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from defiance_zoo.errors import InvalidRecording

_TABLES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "flows": (
        "Messages, as the simulation has counted them",
        {
            "sender": "sender",
            "receiver": "receiver",
            "kind": "kind",
            "tx_messages": "sent",
            "rx_messages": "received",
            "tx_bytes": "bytes sent",
            "missing_share": "share missing",
            "mean_latency": "mean latency, s",
            "p95_latency": "95 %, s",
            "max_latency": "longest, s",
        },
    ),
    "paths": (
        "Packets of channels",
        {
            "sender": "sender",
            "receiver": "receiver",
            "packets": "packets",
            "ip_bytes": "IP bytes",
            "wire_bytes": "bytes on links",
        },
    ),
    "links": (
        "Links",
        {
            "name": "link",
            "data_rate_bps": "bit/s",
            "frames": "frames",
            "bytes": "bytes",
            "utilisation": "used",
            "rl_share": "used by RL",
        },
    ),
}
"""Parts of a communication report: titles, and headings of the shown columns."""


def describe_returns(agents: Iterable[str], steps: Any) -> list[dict[str, Any]]:
    """Return the table of agents' decisions and rewards.

    Args:
        agents: Names of the agents.
        steps: Table with a row for each agent of each round.
    """
    names = np.asarray(steps["agent"].to_pylist(), dtype=object)
    rows = [_returns(agent, steps.filter(pa.array(names == agent))) for agent in agents]
    headings = ["agent", "rounds", "return", "first at, s", "last at, s", "ended"]
    if not rows:
        return []
    return [{"title": "Agents", "headings": headings, "rows": rows}]


def _returns(agent: str, steps: Any) -> list[Any]:
    if len(steps) == 0:
        return [agent, 0, 0, None, None, ""]
    times = steps["time_ns"].to_numpy() / 1e9
    reward = np.nan_to_num(steps["reward"].to_numpy().astype(np.float64))
    ends = [name for name in ("terminated", "truncated") if steps[name][-1].as_py()]
    return [agent, len(steps), float(reward.sum()), times[0], times[-1], ", ".join(ends)]


def describe_communication(report: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Return the tables of a communication report.

    Args:
        report: The result of `CommunicationReport.to_dict()`; empty if nothing was counted.

    Raises:
        InvalidRecording: A part of the report is invalid.
    """
    for part, (title, columns) in _TABLES.items():
        rows = report.get(part, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise InvalidRecording(f"communication.json is damaged: {part} are not objects")
        if rows:
            cells = [[_cell(row.get(name)) for name in columns] for row in rows]
            yield {"title": title, "headings": list(columns.values()), "rows": cells}


def _cell(value: Any) -> Any:
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, int | float | str) or value is None else str(value)
