# SPDX-License-Identifier: GPL-2.0-only
"""Violations that are checked again in a changed protocol, with schedules that differ a little."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.errors import InvalidRecording, ParameterError
from defiance_zoo.protocols.violations import find_readings, require_violation
from defiance_zoo.recording import Reading, Recording
from defiance_zoo.recording.files.header import HEADER
from defiance_zoo.recording.replaying import find_environment, open_recorded
from defiance_zoo.recording.shrinking import Turn, follow, read_turns


@dataclass(frozen=True)
class Recheck:
    """The fate of a violation in a changed protocol.

    Attributes:
        steps: Number of played steps of the recorded schedule, or of the neighbour that violates.
    """

    steps: int
    violation: str = ""
    neighbours: int = 0


def recheck_violation(
    recording: Recording,
    spec: EnvironmentSpec | None = None,
    parameters: Mapping[str, Any] | None = None,
    *,
    neighbours: int = 0,
    seed: int = 1,
) -> Recheck:
    """Play the actions of a recording, in any states, until a violation.

    Without a violation, play neighbours: the same seed, with one or two changes of the actions,
    most of them near the end. A neighbour skips actions that are not allowed.

    `spec`: specification of the environment, possibly with another name; None: by the recorded
    name. `neighbours`: maximum number of neighbours.
    """
    require_violation(recording, "check again")
    spec = spec or find_environment(recording.environment)
    turns = read_turns(find_readings(recording)[0].intents(recording))
    changed = {**recording.parameters, **(parameters or {})}
    if changed.get("infos") != recording.parameters.get("infos"):
        raise ParameterError(
            f"infos={changed['infos']!r}: actions are read from the recorded infos"
        )
    recording = replace(recording, environment=spec.scenario.name, parameters=changed)
    reading = find_readings(recording)[0]  # whose actions may have other numbers
    with contextlib.closing(open_recorded(recording, spec)) as episodes:
        found, is_complete = _play(recording, episodes, turns, reading)
        if found.violation:
            return found
        for number in range(neighbours if turns else 0):
            near = _change(turns, random.Random(f"{seed} {number}"))
            other, _ = _play(recording, episodes, near, reading, skips=True)
            if other.violation:
                return replace(other, neighbours=number + 1)
    if not is_complete:
        raise InvalidRecording(
            f"no guarantee is violated in {found.steps} steps, and the next action is no longer "
            "allowed: record new tests"
        )
    return replace(found, neighbours=neighbours if turns else 0)


def _play(
    recording: Recording,
    episodes: Episodes,
    turns: Sequence[Turn],
    reading: Reading,
    *,
    skips: bool = False,
) -> tuple[Recheck, bool]:
    """Return the result of a schedule, and whether it was played to its end."""
    played = follow(recording.rng, episodes, turns, reading, skips=skips)
    for steps, each in enumerate(played):
        for _, message in each.messages:
            if message.info.get("violations"):
                return Recheck(steps, str(message.info["violations"])), True
    return Recheck(steps), not each.asked or steps == sum(map(len, turns))


def _change(turns: Sequence[Turn], chance: random.Random) -> list[Turn]:
    """Return turns with one or two changes, most of them near the end."""
    changed = list(turns)
    for _ in range(chance.randint(1, 2)):
        from_end = int(chance.expovariate(1 / max(2, len(turns) / 4)))
        place = max(0, len(changed) - 1 - from_end)
        match chance.randrange(4):
            case 0:
                changed[place : place + 2] = reversed(changed[place : place + 2])
            case 1:
                changed[place:place] = changed[place : place + 1]
            case 2:
                del changed[place]
            case _:
                changed.insert(place, chance.choice(turns))
    return changed


def list_recordings(place: Path) -> tuple[list[Path], list[Path]]:
    """Return the recordings at a place, and other files there; charts of recordings are neither."""
    if not place.is_dir() or (place / HEADER).exists():
        return [place], []
    found, foreign = [], []
    for each in sorted(e for e in place.iterdir() if not e.name.startswith(".")):
        is_episode = (each / HEADER).exists() if each.is_dir() else each.suffix == ".json"
        if is_episode:
            found.append(each)
        elif not (each.suffix == ".html" and each.with_suffix(".json").exists()):
            foreign.append(each)
    if not found:
        raise InvalidRecording(f"{place} is not a recorded episode, and contains no episode")
    return found, foreign
