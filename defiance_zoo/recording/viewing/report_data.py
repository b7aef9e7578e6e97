# SPDX-License-Identifier: GPL-2.0-only
"""The data of an episode's page, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from defiance_zoo.errors import InvalidRecording
from defiance_zoo.recording import Episode, Header
from defiance_zoo.recording.viewing.columns import Columns, curves, encode
from defiance_zoo.recording.viewing.network import Network
from defiance_zoo.recording.viewing.traffic import complete, describe_loads, describe_traffic

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
    """Return the table of agents' decisions and rewards."""
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
    """Return the tables of a communication report."""
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


_EVENTS = 10_000
"""Maximum number of events of an episode."""


def report_data(episode: Episode, label: str) -> dict[str, Any]:
    """Return the data of an episode's page.

    Times are in nanoseconds. `missing` lists parts that were not recorded. Columns have the form of
    `encode()`.
    """
    try:
        return _describe(episode, label)
    except InvalidRecording:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InvalidRecording(
            f"{episode.path} is damaged: its topology or its communication report is invalid: "
            f"{type(error).__name__}: {error}"
        ) from error


def _describe(episode: Episode, label: str) -> dict[str, Any]:
    steps = episode.steps
    messages, loads, positions, moves, events = (
        _columns(getattr(episode, name))
        for name in ("messages", "links", "positions", "moves", "events")
    )
    end = _end(episode.header, steps, messages, loads, events)
    network = Network(episode.topology or {})
    traffic = describe_traffic(messages, network.channels, end) if messages else None
    channels = traffic.channels if traffic else complete(network.channels, [])
    agents, left_out = _agents(episode.header, steps)
    return {
        "label": label,
        "facts": list(_facts(episode.header, end)),
        "end_ns": end,
        "rounds": encode(np.unique(steps["time_ns"].to_numpy())),
        "agents": agents,
        "topology": network.to_plain(positions, moves, channels) if episode.topology else None,
        "messages": traffic.messages if traffic else None,
        "channels": channels if traffic else [],
        "delays": traffic.delays if traffic else [],
        "links": describe_loads(loads, network) if loads else [],
        "events": list(_events(events)) if events else [],
        "totals": [
            *describe_returns(episode.header.agents, steps),
            *describe_communication(episode.communication or {}),
        ],
        "missing": [*_missing(episode, messages, loads, events), *left_out],
    }


def _columns(table: Any) -> Columns | None:
    """Return the columns of a table; None without rows."""
    if len(table) == 0:
        return None
    return {name: table[name].to_numpy() for name in table.column_names}


def _end(header: Header, steps: Any, *others: Columns | None) -> float:
    """Return the latest recorded time."""
    times: list[NDArray[Any]] = [steps["time_ns"].to_numpy()]
    for columns in others:
        for name in ("time_ns", "received_ns", "sent_ns"):
            if columns is not None and name in columns:
                times.append(columns[name][np.isfinite(columns[name].astype(np.float64))])
    latest = max((float(each.max()) for each in times if len(each)), default=0.0)
    return max(latest, float(header.end_ns or 0))


def _facts(header: Header, end: float) -> Iterator[tuple[str, str]]:
    yield "environment", header.environment
    yield "outcome", f"{header.outcome}: {header.failure}" if header.failure else header.outcome
    yield "simulated time", f"{end / 1e9:g} s"
    yield "seed", "none" if header.seed is None else str(header.seed)
    yield "ns-3's RngSeed and RngRun", f"{header.rng.seed}, {header.rng.run}"
    yield "interface", header.interface
    if header.max_cycles is not None:
        yield "max_cycles", str(header.max_cycles)
    yield "parameters", ", ".join(f"{k}={_text(v)}" for k, v in header.parameters.items())
    yield "versions", ", ".join(f"{name} {each}" for name, each in header.versions.items())
    yield from (("note", each) for each in header.notes)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _agents(header: Header, steps: Any) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the curves of each agent, and a note about omitted curves."""
    names, left_out, found = np.asarray(steps["agent"].to_pylist(), dtype=object), [], []
    for agent, columns in header.agents.items():
        own = steps.filter(pa.array(names == agent))
        reward = own["reward"].to_numpy().astype(np.float64)
        groups = {
            "reward": [
                _curve("reward", reward, held=False),
                _curve("return so far", np.cumsum(np.nan_to_num(reward)), held=True),
            ]
        }
        for group in ("action", "observation"):
            column = getattr(columns, group)
            kept, count = curves(own[column], header.columns.get(column))
            groups[group] = [_curve(e.name or group, e.values, held=True) for e in kept]
            if count > len(kept):
                left_out.append(f"{count - len(kept)} of {count} numbers of {agent}'s {group}")
        found.append({"name": agent, "time": encode(own["time_ns"].to_numpy()), "groups": groups})
    return found, left_out


def _curve(name: str, values: NDArray[np.float64], *, held: bool) -> dict[str, Any]:
    finite = np.where(np.isfinite(values), values, np.nan)
    return {"name": name, "values": encode(finite), "held": held}


def _events(events: Columns) -> Iterator[dict[str, Any]]:
    order = np.argsort(events["time_ns"], kind="stable")[:_EVENTS]
    for place in order:
        yield {
            "time": float(events["time_ns"][place]),
            **{name: str(events[name][place] or "") for name in ("kind", "agent", "text")},
        }


def _missing(
    episode: Episode, messages: Columns | None, loads: Columns | None, events: Columns | None
) -> Iterator[str]:
    if episode.topology is None:
        yield "The topology: the simulation did not write it."
    if messages is None:
        yield "Messages between RL applications: none was sent, or the simulation recorded none."
    if loads is None:
        yield "Queues and links: the simulation samples none."
    count = len(events["time_ns"]) if events is not None else 0
    if count > _EVENTS:
        yield f"{count - _EVENTS} of {count} events"
    if episode.header.outcome == "playing":
        yield "The end of the episode: it is still running, or its process was killed."
