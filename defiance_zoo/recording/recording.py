# SPDX-License-Identifier: GPL-2.0-only
"""An episode in memory: facts and rounds, checks of fields, and whether it can be played."""

from __future__ import annotations

import contextlib
import copy
import importlib.metadata
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from gymnasium import spaces

from defiance_zoo.bridge.codec import Space
from defiance_zoo.bridge.simulation import AgentEnd, AgentStep, RngState, Round, Rounds
from defiance_zoo.bridge.system.reading import naming, read_json
from defiance_zoo.errors import InvalidRecording, OtherVersion

_NAMES: Mapping[type | UnionType, str] = {
    dict: "an object",
    list: "an array",
    str: "a text",
    int: "a whole number",
    int | float: "a number",
    int | None: "a whole number or null",
    str | None: "a text or null",
    bool: "true or false",
}


def read_object(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file."""
    with naming(path, "is damaged, or not a recording", InvalidRecording):
        plain = read_json(path)
    if not isinstance(plain, dict):
        raise InvalidRecording(f"{path} is not a recording: it is not an object")
    return plain


@contextlib.contextmanager
def naming_recording(path: str | PathLike[str]) -> Iterator[None]:
    """Add the file to messages about its content."""
    try:
        yield
    except OtherVersion as error:
        raise OtherVersion(f"{path} {error}") from None
    except InvalidRecording as error:
        raise InvalidRecording(f"{path} is damaged: {error}") from None


def take(plain: Mapping[str, Any], key: str, kind: type | UnionType, where: str = "") -> Any:
    """Return a field of a type; `where` is the path of the object in the file, with a full stop."""
    if key not in plain:
        raise InvalidRecording(f"it has no {where}{key}")
    value = plain[key]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise InvalidRecording(f"{where}{key} is not {_NAMES[kind]}")
    return value


def choose(plain: Mapping[str, Any], key: str, kinds: Any) -> Any:
    """Return a field that is one of the texts of a `Literal`."""
    value = take(plain, key, str)
    if value not in get_args(kinds):
        raise InvalidRecording(f"{key}={value!r} is not one of {list(get_args(kinds))}")
    return value


Outcome = Literal["playing", "ended", "unfinished", "failed"]
"""The end of an episode.

The values mean: the episode runs, or its process was killed; it is complete; it was left before its
end; its simulation failed.
"""


@dataclass(frozen=True)
class Facts:
    """The start and the end of an episode.

    Attributes:
        environment: Name of the environment, with its version.
        versions: Versions at the recording: `defiance-zoo`, `ns-3`.
        parameters: All parameters of the scenario, with the values in effect.
        rng: Seed and run of ns-3.
        seed: Seed that `reset()` took, or None.
        interface: Whether agents of one instant were asked together.
        max_cycles: Limit of the environment.
        outcome: End of the episode.
        failure: Error of its simulation.
        captures: Names of the files in which packets were captured.
    """

    environment: str
    versions: Mapping[str, str]
    parameters: Mapping[str, Any]
    rng: RngState
    seed: int | None = None
    interface: Rounds = "sequential"
    max_cycles: int | None = None
    outcome: Outcome = "ended"
    failure: str = ""
    captures: tuple[str, ...] = ()

    def facts_to_plain(self, version: int) -> dict[str, Any]:
        """Return facts as JSON holds them, with the version of the format."""
        return {
            "recording": version,
            "environment": self.environment,
            "versions": dict(self.versions),
            "parameters": dict(self.parameters),
            "seed": self.seed,
            "rng": {"seed": self.rng.seed, "run": self.rng.run},
            "interface": self.interface,
            "max_cycles": self.max_cycles,
            "outcome": self.outcome,
            "failure": self.failure,
            "captures": list(self.captures),
        }


def require_format(plain: Mapping[str, Any], version: int) -> None:
    """Refuse facts that are not of a recording, or are of another version of the format."""
    found = take(plain, "recording", int)
    if found != version:
        raise OtherVersion(f"is of version {found} of the format, but this version reads {version}")


def read_facts(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts by their names."""
    rng = take(plain, "rng", dict)
    state = RngState(take(rng, "seed", int, "rng."), take(rng, "run", int, "rng."))
    if not 1 <= state.seed < 2**32 or not 1 <= state.run < 2**63:
        raise InvalidRecording(f"rng={rng} is not possible in ns-3")
    return {
        "environment": take(plain, "environment", str),
        "versions": take(plain, "versions", dict),
        "parameters": take(plain, "parameters", dict),
        "rng": state,
        "seed": take(plain, "seed", int | None),
        "interface": choose(plain, "interface", Rounds),
        "max_cycles": take(plain, "max_cycles", int | None),
        "outcome": choose(plain, "outcome", Outcome),
        "failure": take(plain, "failure", str),
        "captures": tuple(map(str, take(plain, "captures", list))),
    }


def from_plain(space: Space, value: Any) -> Any:
    """Return a value of a space from the result of `to_plain()`; invalid values are unchanged."""
    if isinstance(space, spaces.Dict) and isinstance(value, dict):
        return {
            key: from_plain(space[key], each) for key, each in value.items() if key in space.spaces
        }
    if isinstance(space, spaces.Tuple) and isinstance(value, list):
        return tuple(from_plain(each, part) for each, part in zip(space, value, strict=False))
    if isinstance(value, list):
        return np.array(value, space.dtype)
    return value


FORMAT = 1
"""Version of the format of single files, increased when older readers would misread it."""


@dataclass(frozen=True)
class RecordedStep:
    """The message for an agent in a round.

    Attributes:
        reward: Reward since its last decision.
        info: Info as JSON values.
        terminated: Whether the scenario ended the agent (otherwise it was truncated); None if it
            decides.
        observation: A value of the observation space; None if there is none, or it was not
            recorded. Comparisons of recordings ignore it.
    """

    reward: float
    info: Mapping[str, Any]
    terminated: bool | None = None
    observation: Any = field(default=None, compare=False)


@dataclass(frozen=True)
class RecordedRound:
    """An instant at which agents receive messages, and some agents decide.

    Attributes:
        time_ns: Simulated time in nanoseconds.
        asked: Messages for the agents that decide, by name.
        ended: Messages for the agents that end, by name.
        actions: Actions by name, as JSON values; empty in the last round.
    """

    time_ns: int
    asked: Mapping[str, RecordedStep]
    ended: Mapping[str, RecordedStep]
    actions: Mapping[str, Any]

    @property
    def messages(self) -> Iterator[tuple[str, RecordedStep]]:
        """Messages for all agents, by name."""
        yield from self.ended.items()
        yield from self.asked.items()

    def first_message(self) -> RecordedStep:
        """Return the step or the end of the first agent, or refuse a round without any."""
        for _, message in self.messages:
            return message
        raise InvalidRecording(f"at {self.time_ns} ns, no agent receives a message")


@dataclass(frozen=True)
class Recording(Facts):
    """An episode, with all data for a replay.

    Attributes:
        rounds: Rounds of the episode; the actions of each led to the next one.
        spaces: The observation and the action space of each agent; empty if they were not recorded.
            Comparisons of recordings ignore them.
    """

    rounds: tuple[RecordedRound, ...] = ()
    spaces: Mapping[str, tuple[Space, Space]] = field(default_factory=dict, compare=False)

    @property
    def decisions(self) -> list[Mapping[str, Any]]:
        """The actions of each round with actions."""
        return [each.actions for each in self.rounds if each.actions]

    def infos(self) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
        """Return the infos of all agents, each with the number of its round and the agent."""
        for number, each in enumerate(self.rounds):
            for agent, message in each.messages:
                yield number, agent, message.info

    def to_json(self) -> str:
        """Return the text for `read_recording()`: a line for each round, without observations."""
        head = self.facts_to_plain(FORMAT)
        lines = [f"{_write(key)}: {_write(value)}" for key, value in head.items()]
        rounds = ",\n".join(_write(_round_to_plain(each)) for each in self.rounds)
        return "{" + ",\n".join(lines) + ',\n"rounds": [\n' + rounds + "\n]}\n"


def _write(value: Any) -> str:
    return json.dumps(value, allow_nan=False)


def _round_to_plain(each: RecordedRound) -> dict[str, Any]:
    asked = {a: {"reward": t.reward, "info": dict(t.info)} for a, t in each.asked.items()}
    ended = {
        agent: {
            "reward": message.reward,
            "terminated": message.terminated,
            "info": dict(message.info),
        }
        for agent, message in each.ended.items()
    }
    plain: dict[str, Any] = {"time_ns": each.time_ns, "asked": asked}
    return {**plain, "ended": ended, "actions": dict(each.actions)}


_UNCHANGING = (int, float, str, bool, np.generic)


class PlayedRound(NamedTuple):
    """A round, and the actions that answer it.

    Attributes:
        infos: Infos of the agents that decide; wrappers add to the originals.
    """

    time_ns: int
    ended: Sequence[AgentEnd]
    asked: Sequence[AgentStep]
    infos: Sequence[Mapping[str, Any]]
    actions: dict[str, Any]

    @property
    def is_answered(self) -> bool:
        """Whether all agents have decided."""
        return 0 < len(self.asked) == len(self.actions)

    def copy(self) -> PlayedRound:
        """Return an independent copy."""
        return self._replace(actions=dict(self.actions))


def note(received: Round) -> PlayedRound:
    """Return a round without actions."""
    steps = received.steps
    infos = [dict(each.info) for each in steps]
    ended = received.ended and [each._replace(info=dict(each.info)) for each in received.ended]
    return PlayedRound(received.time_ns, ended, steps, infos, {})


def note_action(action: Any) -> Any:
    """Return a copy of an action, unless it is immutable."""
    if isinstance(action, _UNCHANGING):
        return action
    return action.copy() if isinstance(action, np.ndarray) else copy.deepcopy(action)


def project_version() -> str:
    """Return the installed version of this project."""
    return importlib.metadata.version("defiance-zoo")


def require_this_version(versions: Mapping[str, Any]) -> None:
    """Refuse recordings of another version of this project."""
    made, here = versions.get("defiance-zoo"), project_version()
    if made != here:
        raise OtherVersion(f"was recorded with defiance-zoo {made}, but this is {here}")


def require_playable(recording: Recording) -> None:
    """Refuse recordings that could not have been played."""
    if not recording.rounds:
        raise InvalidRecording("it has no rounds")
    last = len(recording.rounds) - 1
    for number, each in enumerate(recording.rounds):
        if each.actions.keys() != each.asked.keys() and (each.actions or number < last):
            raise InvalidRecording(
                f"in round {number}, {sorted(each.asked)} must act, but {sorted(each.actions)} act"
            )
