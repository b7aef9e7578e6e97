# SPDX-License-Identifier: GPL-2.0-only
"""Reading of the folder of an episode, with checks of all contents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from defiance_zoo.errors import InvalidRecording
from defiance_zoo.recording.files.episode import Episode
from defiance_zoo.recording.files.header import HEADER, read_header
from defiance_zoo.recording.files.rows import Known
from defiance_zoo.recording.files.simulation_tables import TABLES, read_table
from defiance_zoo.recording.files.steps import MOST_BYTES_OF_STEPS, read_steps
from defiance_zoo.recording.json_fields import naming_recording, read_object, take

TOPOLOGY, COMMUNICATION = "topology.json", "communication.json"
_TOPOLOGY_FORMAT = 1
_ATTEMPTS = 3  # to read an episode that is being written


def load_episode(folder: Path, most_bytes: int = MOST_BYTES_OF_STEPS) -> Episode:
    """Return a recorded episode, even if it still runs or its process was killed.

    Args:
        folder: Folder of the episode.
        most_bytes: Maximum memory for the steps, in bytes.

    Raises:
        InvalidRecording: The folder holds no episode, or a damaged file; the message names the
            fault.
        OtherVersion: The recording is of another version of the format.
    """
    if not folder.is_dir():
        raise InvalidRecording(f"{folder} is not a recorded episode: there is no such folder")
    if not (folder / HEADER).exists():
        raise InvalidRecording(f"{folder} is not a recorded episode: it has no {HEADER}")
    for _ in range(_ATTEMPTS - 1):
        try:
            return _read(folder, most_bytes)
        except FileNotFoundError:
            continue  # the parts have been merged into the whole file
        except InvalidRecording:
            if read_header(folder).outcome != "playing":
                raise
            # The steps may have an agent that joined after the header was read.
    try:
        return _read(folder, most_bytes)
    except FileNotFoundError as error:
        raise InvalidRecording(f"{folder} is damaged: {error.filename} is missing") from error


def _read(folder: Path, most_bytes: int) -> Episode:
    header = read_header(folder)
    ended = header.outcome == "ended"
    topology = _read_topology(folder / TOPOLOGY, header.outcome == "playing")
    if ended and topology is not None:
        _require_tables(folder)
    known = Known.of(header, topology)
    return Episode(
        path=folder,
        header=header,
        steps=read_steps(folder, header, most_bytes),
        topology=topology,
        communication=_read_if_there(folder / COMMUNICATION),
        **{name: read_table(folder, name, ended=ended, known=known) for name in TABLES},
    )


def _require_tables(folder: Path) -> None:
    """Refuse an episode without a file that simulations write along with the topology."""
    for name in TABLES:
        if not (folder / f"{name}.csv").exists():
            raise InvalidRecording(f"{folder} is damaged: {name}.csv is missing")


def _read_if_there(path: Path) -> dict[str, Any] | None:
    return read_object(path) if path.exists() else None


def _read_topology(path: Path, is_written: bool) -> dict[str, Any] | None:
    """Return the topology; None if it is missing or incomplete."""
    try:
        plain = _read_if_there(path)
    except InvalidRecording:
        if is_written:
            return None
        raise
    if plain is None:
        return None
    with naming_recording(path):
        version = take(plain, "format", int)
        if version != _TOPOLOGY_FORMAT:
            raise InvalidRecording(f"format={version} is not {_TOPOLOGY_FORMAT}")
        for name in ("nodes", "links", "applications", "channels"):
            for each in take(plain, name, list):
                if not isinstance(each, dict):
                    raise InvalidRecording(f"{json.dumps(each)} in {name} is not an object")
    return plain
