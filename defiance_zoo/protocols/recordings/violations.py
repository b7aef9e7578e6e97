# SPDX-License-Identifier: GPL-2.0-only
"""Recorded episodes in which a guarantee is violated: found, and made shorter.

env = partition_v0.env(record=Record("found", keep=is_violated))
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Literal

from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.errors import InvalidRecording
from defiance_zoo.protocols.recordings.meanings import ByMeaning
from defiance_zoo.recording import ByValue, Reading, RecordedRound, Recording, replay, shrink
from defiance_zoo.recording.repeating import open_recorded

Same = Literal["property", "text"]
"""What of a violation is the same: its property, or replicas and entries, too."""


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
        same: What of the violation remains.
        spec: Of the environment; None: it is looked up by its name.

    Raises:
        InvalidRecording: There is none, or it cannot be played.
        ParameterError: The environment has not these parameters.
    """
    first = first_violation(recording)
    if first is None:
        raise InvalidRecording("no guarantee is violated in this episode: nothing to shrink")
    if recording.parameters.get("healing") == "at_end":
        recording = replace(recording, parameters={**recording.parameters, "healing": "both"})
    where, text = first
    sought = properties(recording.rounds[where])

    def seek(each: RecordedRound) -> bool:
        if same == "property":
            return bool(properties(each) & sought)
        return any(told.info.get("violations") == text for _, told in each.told)

    readings: list[Reading] = [ByValue()]
    if ByMeaning.can_read(recording):
        readings.insert(0, ByMeaning(recording))
    with contextlib.closing(open_recorded(recording, spec)) as episodes:
        shorter = shrink(recording, episodes, seek, readings)
        replay(shorter, episodes)
    return shorter
