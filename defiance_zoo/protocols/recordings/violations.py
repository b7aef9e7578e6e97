# SPDX-License-Identifier: GPL-2.0-only
"""Recorded episodes in which a guarantee is violated: found, and made shorter.

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
"""The identity of a violation: its property alone, or its replicas and entries, too."""


def first_violation(recording: Recording) -> tuple[int, str] | None:
    """Return the step after which a guarantee was violated first, and how; None: never."""
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
        line for _, told in each.told for line in str(told.info.get("violations", "")).splitlines()
    ]
    return {line.partition(":")[0] for line in lines}


def shrink_violation(
    recording: Recording, same: Same = "property", spec: EnvironmentSpec | None = None
) -> Recording:
    """Return a recording of which no action can be left out without losing its first violation.

    Replicas that are healed at the end of an episode are healed in fewer steps, too: what is
    returned has the parameter `healing="both"` then.

    Args:
        recording: With a violation.
        same: Part of the violation that remains.
        spec: Specification of the environment; None: it is looked up by its name.

    Raises:
        InvalidRecording: There is none, or it cannot be played.
        ParameterError: The environment has not these parameters.
    """
    where, text = _require_violation(recording, "shrink")
    if recording.parameters.get("healing") == "at_end":
        recording = replace(recording, parameters={**recording.parameters, "healing": "both"})
    sought = properties(recording.rounds[where])

    def seek(each: RecordedRound) -> bool:
        if same == "property":
            return bool(properties(each) & sought)
        return any(told.info.get("violations") == text for _, told in each.told)

    readings = _readings(recording)
    with contextlib.closing(open_recorded(recording, spec)) as episodes:
        shorter = shrink(recording, episodes, seek, readings)
        replay(shorter, episodes)
    return shorter


@dataclass(frozen=True)
class Recheck:
    """The fate of a violation in a protocol that was changed.

    Attributes:
        steps: Steps that were played.
        violation: Violation of a guarantee after the last of them; empty without one.
    """

    steps: int
    violation: str = ""


def recheck_violation(
    recording: Recording,
    spec: EnvironmentSpec | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Recheck:
    """Play the actions of a recording, whatever states they lead to now, until a violation.

    Args:
        recording: With a violation.
        spec: Specification of the environment, perhaps of another name; None: by its name.
        parameters: Those that differ from the recorded ones, such as the version of the protocol.

    Raises:
        InvalidRecording: There is no violation, or an action is not allowed any more.
        ParameterError: The environment has not these parameters.
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
            for _, told in each.told:
                if told.info.get("violations"):
                    return Recheck(steps, str(told.info["violations"]))
    if each.asked and steps < len(intents):
        raise InvalidRecording(
            f"no guarantee is violated in {steps} steps, and the action of the next one is not "
            "allowed there any more: record new tests"
        )
    return Recheck(steps)


def _require_violation(recording: Recording, purpose: str) -> tuple[int, str]:
    first = first_violation(recording)
    if first is None:
        raise InvalidRecording(f"no guarantee is violated in this episode: nothing to {purpose}")
    return first


def _readings(recording: Recording) -> list[Reading]:
    """Return ways to understand the actions of a recording, the best one first."""
    if ByMeaning.can_read(recording):
        return [ByMeaning(recording), ByValue()]
    return [ByValue()]
