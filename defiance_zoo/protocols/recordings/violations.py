# SPDX-License-Identifier: GPL-2.0-only
"""Recorded episodes with violations: detection, shrinking and rechecking.

env = partition_v0.env(record=Record("found", keep=is_violated))
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.errors import InvalidRecording
from defiance_zoo.protocols.recordings.action_meanings import ByMeaning
from defiance_zoo.recording import ByValue, Reading, RecordedRound, Recording, replay, shrink
from defiance_zoo.recording.recorded_environments import find_environment, open_recorded
from defiance_zoo.recording.shrinking import follow, read_turns

Same = Literal["property", "text"]
"""The identity of a violation: its property, or also its replicas and entries."""


def first_violation(recording: Recording) -> tuple[int, str] | None:
    """Return the step and text of the first violation; None without one."""
    for number, _, info in recording.infos():
        if info.get("violations"):
            return number, str(info["violations"])
    return None


def is_violated(recording: Recording) -> bool:
    """Return whether a guarantee was violated."""
    return first_violation(recording) is not None


def properties(each: RecordedRound) -> set[str]:
    """Return the properties that are violated in a round."""
    lines = [
        line
        for _, message in each.messages
        for line in str(message.info.get("violations", "")).splitlines()
    ]
    return {line.partition(":")[0] for line in lines}


def shrink_violation(
    recording: Recording, same: Same = "property", spec: EnvironmentSpec | None = None
) -> Recording:
    """Return a recording in which the first violation needs every action.

    If replicas are healed at the end of an episode, the result has the parameter `healing="both"`,
    to heal in fewer steps.

    Args:
        recording: A recording with a violation.
        same: Part of the violation to keep.
        spec: Specification of the environment; None: the registered one with the recorded name.

    Raises:
        InvalidRecording: There is no violation, or the recording cannot be played.
        ParameterError: The environment does not have these parameters.
    """
    where, text = _require_violation(recording, "shrink")
    if recording.parameters.get("healing") == "at_end":
        recording = replace(recording, parameters={**recording.parameters, "healing": "both"})
    sought = properties(recording.rounds[where])

    def seek(each: RecordedRound) -> bool:
        if same == "property":
            return bool(properties(each) & sought)
        return any(message.info.get("violations") == text for _, message in each.messages)

    readings = _readings(recording)
    with contextlib.closing(open_recorded(recording, spec)) as episodes:
        shorter = shrink(recording, episodes, seek, readings)
        replay(shorter, episodes)
    return shorter


@dataclass(frozen=True)
class Recheck:
    """The fate of a violation in a changed protocol.

    Attributes:
        steps: Number of played steps.
        violation: Violation after the last step; empty without one.
    """

    steps: int
    violation: str = ""


def recheck_violation(
    recording: Recording,
    spec: EnvironmentSpec | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Recheck:
    """Play the actions of a recording, in any states, until a violation.

    Args:
        recording: A recording with a violation.
        spec: Specification of the environment, possibly with another name; None: by the recorded
            name.
        parameters: Parameters that replace recorded ones, such as the version of the protocol.

    Raises:
        InvalidRecording: There is no violation, or an action is not allowed any more.
        ParameterError: The environment does not have these parameters.
        SimulationError: The simulation failed.
    """
    _require_violation(recording, "check again")
    spec = spec or find_environment(recording.environment)
    changed = {**recording.parameters, **(parameters or {})}
    recording = replace(recording, environment=spec.scenario.name, parameters=changed)
    reading = _readings(recording)[0]
    intents = reading.intents(recording)
    with contextlib.closing(open_recorded(recording, spec)) as episodes:
        played = follow(recording.rng, episodes, read_turns(intents), reading)
        for steps, each in enumerate(played):
            for _, message in each.messages:
                if message.info.get("violations"):
                    return Recheck(steps, str(message.info["violations"]))
    if each.asked and steps < len(intents):
        raise InvalidRecording(
            f"no guarantee is violated in {steps} steps, and the next action is no longer allowed: "
            "record new tests"
        )
    return Recheck(steps)


def _require_violation(recording: Recording, purpose: str) -> tuple[int, str]:
    first = first_violation(recording)
    if first is None:
        raise InvalidRecording(f"no guarantee is violated in this episode: nothing to {purpose}")
    return first


def _readings(recording: Recording) -> list[Reading]:
    """Return readings of the actions of a recording, the best one first."""
    if ByMeaning.can_read(recording):
        return [ByMeaning(recording), ByValue()]
    return [ByValue()]
