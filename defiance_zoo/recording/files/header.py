# SPDX-License-Identifier: GPL-2.0-only
"""The contents of `episode.json`: facts of an episode, and the types of its columns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from defiance_zoo.bridge.codec import Space, space_from_json, space_to_json
from defiance_zoo.errors import InvalidRecording, MalformedMessage
from defiance_zoo.recording.recording import (
    Facts,
    RecordedRound,
    Recording,
    naming_recording,
    read_facts,
    read_object,
    require_format,
    take,
)

HEADER = "episode.json"
FORMAT = 2
"""Version of the format of folders, increased when older readers would misread it."""


class AgentColumns(NamedTuple):
    """Columns of the steps with an agent's observations and actions."""

    observation: str
    action: str


@dataclass(frozen=True)
class Header(Facts):
    """The facts of an episode, without its steps.

    Attributes:
        render_mode: Render mode of the environment, or None.
        agents: The columns of each agent by name, in the order in which agents joined.
        columns: The space of each column of observations or actions.
        rounds: Number of rounds; None before the end of the episode.
        end_ns: Simulated time of the last round in nanoseconds; None before the end of the episode.
        notes: Notes for comparisons with other recordings.
    """

    render_mode: str | None = None
    agents: Mapping[str, AgentColumns] = field(default_factory=dict)
    columns: Mapping[str, Space] = field(default_factory=dict)
    rounds: int | None = None
    end_ns: int | None = None
    notes: tuple[str, ...] = ()

    def observation_space(self, agent: str) -> Space:
        """Return the observation space of an agent."""
        return self.columns[self.agents[agent].observation]

    def action_space(self, agent: str) -> Space:
        """Return the action space of an agent."""
        return self.columns[self.agents[agent].action]

    def to_recording(self, rounds: tuple[RecordedRound, ...]) -> Recording:
        """Return the episode for a replay."""
        facts = {each.name: getattr(self, each.name) for each in fields(Facts)}
        spaces = {
            name: (self.observation_space(name), self.action_space(name)) for name in self.agents
        }
        return Recording(rounds=rounds, spaces=spaces, **facts)

    def to_json(self) -> str:
        """Return the text of the file."""
        plain = {
            **self.facts_to_plain(FORMAT),
            "render_mode": self.render_mode,
            "rounds": self.rounds,
            "end_ns": self.end_ns,
            "notes": list(self.notes),
            "agents": {name: each._asdict() for name, each in self.agents.items()},
            "columns": {n: json.loads(space_to_json(each)) for n, each in self.columns.items()},
        }
        return json.dumps(plain, indent=1, allow_nan=False) + "\n"


def read_header(folder: Path) -> Header:
    """Return the header of an episode."""
    path = folder / HEADER
    plain = read_object(path)
    if "recording" not in plain:
        raise InvalidRecording(f"{path} is not a recording: it has no 'recording'")
    with naming_recording(path):
        return _read(plain)


def _read(plain: dict[str, Any]) -> Header:
    require_format(plain, FORMAT)
    columns = {name: _read_space(name, each) for name, each in take(plain, "columns", dict).items()}
    agents = {name: _read_agent(name, each) for name, each in take(plain, "agents", dict).items()}
    unknown = {name for each in agents.values() for name in each} - columns.keys()
    if unknown:
        raise InvalidRecording(f"columns has no {sorted(unknown)}, which agents use")
    return Header(
        **read_facts(plain),
        render_mode=take(plain, "render_mode", str | None),
        agents=agents,
        columns=columns,
        rounds=_take_count(plain, "rounds"),
        end_ns=_take_count(plain, "end_ns"),
        notes=tuple(map(str, take(plain, "notes", list))),
    )


def _take_count(plain: dict[str, Any], key: str) -> int | None:
    count: int | None = take(plain, key, int | None)
    if count is not None and not 0 <= count < 2**63:
        raise InvalidRecording(f"{key}={count} is not a number from 0 to 2**63 - 1")
    return count


def _read_agent(name: str, plain: Any) -> AgentColumns:
    if not isinstance(plain, dict):
        raise InvalidRecording(f"agents.{name} is not an object")
    where = f"agents.{name}."
    return AgentColumns(take(plain, "observation", str, where), take(plain, "action", str, where))


def _read_space(name: str, plain: Any) -> Space:
    try:
        return space_from_json(json.dumps(plain))
    except MalformedMessage as error:
        raise InvalidRecording(f"columns.{name} is {error}") from None
