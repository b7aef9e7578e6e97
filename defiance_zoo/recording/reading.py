# SPDX-License-Identifier: GPL-2.0-only
"""Reading of recordings, with checks of all contents."""

from __future__ import annotations

import functools
import math
from os import PathLike
from pathlib import Path
from typing import Any

from defiance_zoo.errors import InvalidRecording
from defiance_zoo.recording.files.episode import Episode
from defiance_zoo.recording.files.header import HEADER
from defiance_zoo.recording.options import require_arrow
from defiance_zoo.recording.recording import (
    FORMAT,
    RecordedRound,
    RecordedStep,
    Recording,
    naming_recording,
    read_facts,
    read_object,
    require_format,
    require_playable,
    require_this_version,
    take,
)


def read_episode(path: str | PathLike[str], *, most_bytes: int | None = None) -> Episode:
    """Return a recorded episode, even if it still runs or its process was killed.

    Args:
        path: Folder of the episode.
        most_bytes: Maximum memory for the steps in bytes; by default 512 MiB.

    Raises:
        InvalidRecording: The folder holds no episode, or a damaged file; the message names the
            fault.
        OtherVersion: The recording is of another version of the format.
        DependencyMissing: pyarrow is not installed.
    """
    require_arrow()
    from defiance_zoo.recording.files.loading import load_episode

    limit = {} if most_bytes is None else {"most_bytes": most_bytes}
    return load_episode(Path(path), **limit)


def find_episodes(*places: str | PathLike[str]) -> list[Path]:
    """Return the folders of episodes among some places or directly in them, in their order.

    Raises:
        InvalidRecording: A place contains no episode, or does not exist.
    """
    found: list[Path] = []
    for each in map(Path, places):
        inside = [each]
        if not (each / HEADER).exists():
            inside = sorted(path.parent for path in each.glob(f"[!.]*/{HEADER}"))
        if not inside:
            raise InvalidRecording(f"{each} is not a recorded episode, and contains no episode")
        found += inside
    return found


def read_recording(path: str | PathLike[str]) -> Recording:
    """Return a recorded episode that this version can play.

    Args:
        path: The folder of an episode, or a single file of the tools for protocols.

    Raises:
        InvalidRecording: The recording cannot be read, is invalid or damaged, or has a forbidden
            action.
        OtherVersion: The recording is of another version of the format or of this project.
        DependencyMissing: The path is a folder, and pyarrow is not installed.
    """
    place = Path(path)
    make = (
        read_episode(place).recording
        if place.is_dir()
        else functools.partial(_read, read_object(place))
    )
    with naming_recording(path):
        return make()


def _read(plain: dict[str, Any]) -> Recording:
    require_format(plain, FORMAT)
    require_this_version(take(plain, "versions", dict))
    rounds = take(plain, "rounds", list)
    each_round = (_read_round(each, f"rounds[{i}]") for i, each in enumerate(rounds))
    recording = Recording(rounds=tuple(each_round), **read_facts(plain))
    require_playable(recording)
    return recording


def _read_round(plain: Any, where: str) -> RecordedRound:
    if not isinstance(plain, dict):
        raise InvalidRecording(f"{where} is not an object")
    asked, ended = (take(plain, key, dict, f"{where}.") for key in ("asked", "ended"))
    return RecordedRound(
        take(plain, "time_ns", int, f"{where}."),
        {agent: _read_step(each, f"{where}.asked.{agent}") for agent, each in asked.items()},
        {agent: _read_step(each, f"{where}.ended.{agent}", True) for agent, each in ended.items()},
        take(plain, "actions", dict, f"{where}."),
    )


def _read_step(plain: Any, where: str, ended: bool = False) -> RecordedStep:
    if not isinstance(plain, dict):
        raise InvalidRecording(f"{where} is not an object")
    terminated = take(plain, "terminated", bool, f"{where}.") if ended else None
    reward = take(plain, "reward", int | float, f"{where}.")
    if not -math.inf < reward < math.inf:
        raise InvalidRecording(f"{where}.reward is {reward}, not a finite number")
    return RecordedStep(reward, take(plain, "info", dict, f"{where}."), terminated)
