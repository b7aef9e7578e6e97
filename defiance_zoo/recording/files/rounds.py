# SPDX-License-Identifier: GPL-2.0-only
"""Conversion of played rounds to tables of steps, and back."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from defiance_zoo.bridge.system.reading import parse_json
from defiance_zoo.errors import InvalidRecording
from defiance_zoo.recording.files.columns import to_column, to_values
from defiance_zoo.recording.files.header import AgentColumns, Header
from defiance_zoo.recording.files.played_round import PlayedRound
from defiance_zoo.recording.files.steps import schema
from defiance_zoo.recording.json_values import to_plain
from defiance_zoo.recording.recording import RecordedRound, RecordedStep


def to_table(header: Header, rounds: Sequence[PlayedRound], first: int) -> Any:
    """Return rounds as rows of steps.

    Args:
        header: Header with the agents.
        rounds: Rounds, one after the other.
        first: Number of the first round.
    """
    rows: list[tuple[Any, ...]] = []
    for number, each in enumerate(rounds, first):
        _add_rows(rows, number, each)
    if not rows:
        return schema(header).empty_table()
    numbers, times, agents, observed, acted, rewards, terminated, truncated, infos = zip(
        *rows, strict=True
    )
    columns: dict[str, Any] = {
        "round": np.array(numbers, np.int64),
        "time_ns": np.array(times, np.int64),
        "agent": pa.array(agents, pa.string()),
        "reward": np.array(rewards, np.float64),
        "terminated": np.array(terminated, np.bool_),
        "truncated": np.array(truncated, np.bool_),
        "info": pa.array(infos, pa.string()),
    }
    for place, values in enumerate((observed, acted)):
        columns.update(_values(header, place, agents, values))
    return pa.table({field.name: columns[field.name] for field in schema(header)})


def _add_rows(rows: list[tuple[Any, ...]], number: int, played: PlayedRound) -> None:
    """Add the rows of agents that end, and then of agents that decide."""
    time_ns, ended, asked, infos, actions = played
    for end in ended:
        over, values = end.terminated, (end.agent, end.observation, None, end.reward)
        rows.append((number, time_ns, *values, over, not over, write_info(end.info)))
    given = actions if len(actions) == len(asked) else {}
    for (agent, observation, reward, _), info in zip(asked, infos, strict=True):
        values = (agent, observation, given.get(agent), reward)
        rows.append((number, time_ns, *values, False, False, write_info(info) if info else "{}"))


def _values(
    header: Header, place: int, agents: Sequence[str], values: Sequence[Any]
) -> Iterator[tuple[str, Any]]:
    """Return the columns of observations (0) or actions (1), of which there is usually one."""
    names = {agent: columns[place] for agent, columns in header.agents.items()}
    for name in dict.fromkeys(names.values()):
        if len(set(names.values())) == 1:
            own = values
        else:
            own = [v if names[a] == name else None for a, v in zip(agents, values, strict=True)]
        yield name, to_column(header.columns[name], own)


_ENCODE = json.JSONEncoder(allow_nan=False, default=to_plain).encode


def write_info(info: Mapping[str, Any]) -> str:
    """Return infos as JSON; numbers that are not finite are null."""
    if not info:
        return "{}"
    try:
        return _ENCODE(info)
    except ValueError:
        return json.dumps(to_plain(info), allow_nan=False)


def to_rounds(header: Header, table: Any) -> tuple[RecordedRound, ...]:
    """Return rows of steps as rounds.

    Raises:
        InvalidRecording: An info is not JSON.
    """
    rows = zip(
        *(table[name].to_pylist() for name in ("round", "time_ns", "agent", "reward")),
        table["terminated"].to_pylist(),
        table["truncated"].to_pylist(),
        _read_infos(table["info"]),
        _read_values(header, table, 0),
        _read_values(header, table, 1),
        strict=True,
    )
    rounds = [_round(list(each)) for _, each in itertools.groupby(rows, key=lambda row: row[0])]
    if header.rounds == len(rounds) + 1:  # the last round has no agents
        rounds.append(RecordedRound(header.end_ns or 0, {}, {}, {}))
    return tuple(rounds)


def _round(rows: Sequence[tuple[Any, ...]]) -> RecordedRound:
    asked, ended, actions = {}, {}, {}
    for _, _, agent, reward, terminated, truncated, info, observation, action in rows:
        if terminated or truncated:
            ended[agent] = RecordedStep(reward, info, terminated, observation)
        else:
            asked[agent] = RecordedStep(reward, info, observation=observation)
        if action is not None:
            actions[agent] = to_plain(action)
    return RecordedRound(rows[0][1], asked, ended, actions)


def _read_values(header: Header, table: Any, place: int) -> list[Any]:
    columns: dict[str, AgentColumns] = dict(header.agents)
    found = {
        name: to_values(header.columns[name], table[name])
        for name in {each[place] for each in columns.values()}
    }
    agents = table["agent"].to_pylist()
    return [found[columns[agent][place]][row] for row, agent in enumerate(agents)]


def _read_infos(column: Any) -> list[dict[str, Any]]:
    try:
        infos = [parse_json(each) for each in column.to_pylist()]
    except ValueError as error:
        raise InvalidRecording(f"an info is not JSON: {error}") from error
    if not all(isinstance(each, dict) for each in infos):
        raise InvalidRecording("an info is not an object")
    return infos
