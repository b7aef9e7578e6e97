# SPDX-License-Identifier: GPL-2.0-only
"""The events of a recording, step by step: messages, their senders and receivers, their fate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from defiance_zoo.bridge.system.reading import parse_json
from defiance_zoo.envs.partition.actions import Meaning
from defiance_zoo.errors import InvalidRecording
from defiance_zoo.protocols.chart.labels import Label, changes, describe_clients, describe_deed
from defiance_zoo.protocols.violations import ByMeaning
from defiance_zoo.recording import RecordedStep, Recording

NEEDED = ("message_events", "partition", "replicas", "violations")
"""Infos for a chart."""


class Event(NamedTuple):
    """An event of a message.

    Attributes:
        kind: `sent`, `arrived`, `delivered` or `dropped`.
        sender: Number of the sending replica.
        receiver: Number of the receiving replica.
        number: Number among the sender's messages.
        time_ns: Simulated time in ns.
        text: Text of a sent message.
    """

    kind: str
    sender: int
    receiver: int
    number: int
    time_ns: int
    text: str

    @property
    def message(self) -> tuple[int, int]:
        """The identity of the message: sender and number."""
        return self.sender, self.number


@dataclass(frozen=True)
class Step:
    """The events between two decisions.

    Attributes:
        time_ns: Simulated time of its end in ns.
        deed: Action of the testers at its beginning.
        events: Events of messages, in their order.
        blocks: The block of each replica; -1 if it is stopped.
        labels: Changes in replicas, with the replica's number.
        violations: Violations of guarantees, and warnings.
    """

    time_ns: int
    deed: str
    events: tuple[Event, ...]
    blocks: tuple[int, ...]
    labels: tuple[tuple[int, Label], ...]
    violations: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Story:
    """The steps of a test; the first one is the reset."""

    recording: Recording
    replicas: int
    steps: tuple[Step, ...]

    def events(self, kind: str) -> Iterator[Event]:
        """Return the events of a kind."""
        for step in self.steps:
            yield from (event for event in step.events if event.kind == kind)


def read_story(recording: Recording) -> Story:
    """Return the steps and events of a recording.

    Raises:
        InvalidRecording: The recording is of another environment, or lacks required infos.
    """
    for number, agent, info in recording.infos():
        missing = [name for name in NEEDED if name not in info]
        if missing:
            raise InvalidRecording(
                f"round {number} has no info {missing[0]!r} of {agent}: a chart needs an episode "
                "of partition_v0 with infos=all and message_events=True"
            )
    try:
        return _read(recording)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise InvalidRecording(f"infos are damaged: {error!r}") from error


def _read(recording: Recording) -> Story:
    messages = [each.first_message() for each in recording.rounds]
    deeds = ["reset", *_deeds(recording)]
    states: list[list[Mapping[str, Any]]] = [parse_json(each.info["replicas"]) for each in messages]
    before: list[Sequence[Mapping[str, Any]]] = [[{} for _ in states[0]], *states]
    steps = tuple(
        _read_step(deed, each, old, new)
        for deed, each, old, new in zip(deeds, messages, before, states, strict=False)
    )
    return Story(recording, len(states[0]), steps)


def _read_step(
    deed: str,
    message: RecordedStep,
    old: Sequence[Mapping[str, Any]],
    new: Sequence[Mapping[str, Any]],
) -> Step:
    info = message.info
    events = [
        Event(e["event"], int(e["from"]), int(e["to"]), int(e["number"]), e["time_ns"], e["text"])
        for e in parse_json(info["message_events"])
    ]
    labels = [
        (number, label)
        for number, (one, other) in enumerate(zip(old, new, strict=True), start=1)
        for label in changes(one, other)
    ]
    asked, answers = describe_clients(info.get("history", "[]"))
    return Step(
        time_ns=round(info["virtual_time"] * 1e9),
        deed=", ".join([deed] * (deed != "request" or not asked) + asked),
        events=tuple(events),
        blocks=tuple(int(block) for block in info["partition"]),
        labels=(*labels, *answers),
        violations=tuple(info["violations"].splitlines()),
        warnings=tuple(info.get("warnings", "").splitlines()),
    )


def _deeds(recording: Recording) -> Iterator[str]:
    masked = all(
        "action_mask" in message.info for each in recording.rounds for _, message in each.messages
    )
    if not masked or not ByMeaning.can_read(recording):  # actions may be replaced by legal ones
        for actions in recording.decisions:
            yield ", ".join(f"action {action}" for action in actions.values())
        return
    roles = [
        {agent: message.info.get("role", "") for agent, message in each.asked.items()}
        for each, _ in pairwise(recording.rounds)
    ]
    for intents, role in zip(ByMeaning(recording).intents(recording), roles, strict=False):
        parts = [_describe(meaning, role[agent]) for agent, meaning in intents.items()]
        yield ", ".join(parts)


def _describe(meaning: Meaning, role: str) -> str:
    deed = describe_deed(meaning)
    return f"{role}: {deed}" if role else deed
