# SPDX-License-Identifier: GPL-2.0-only
"""An episode in memory: its rounds as played and as recorded, and whether it can be played here."""

from __future__ import annotations

import copy
import importlib.metadata
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from defiance_zoo.bridge.codec import Space
from defiance_zoo.bridge.simulation import AgentEnd, AgentStep, Round
from defiance_zoo.errors import InvalidRecording, OtherVersion
from defiance_zoo.recording.facts import Facts

_PLAIN = frozenset((str, int, bool, type(None)))


def to_plain(value: Any) -> Any:
    """Return a value in the form that it has after writing and reading JSON.

    Arrays and tuples become lists, and numbers that are not finite become None.
    """
    if type(value) in _PLAIN:  # true for most infos
        return value
    if isinstance(value, np.ndarray | np.generic):
        plain = value.tolist()
        return plain if value.dtype.kind in "biu" else to_plain(plain)
    if isinstance(value, Mapping):
        return {str(key): to_plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


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
        """Return the step or the end of the first agent.

        Raises:
            InvalidRecording: The round has no steps and no ends of agents.
        """
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
