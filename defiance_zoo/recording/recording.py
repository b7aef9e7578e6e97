# SPDX-License-Identifier: GPL-2.0-only
"""Recorded episodes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from defiance_zoo.bridge.codec import Space
from defiance_zoo.errors import InvalidRecording
from defiance_zoo.recording.facts import Facts

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
