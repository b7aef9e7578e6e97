# SPDX-License-Identifier: GPL-2.0-only
"""Reading of the folder of an episode, with checks of all contents."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from defiance_zoo.bridge.system.reading import MOST_MEMORY, naming, read_bytes
from defiance_zoo.errors import InvalidRecording
from defiance_zoo.recording.facts import naming_recording, read_object, take
from defiance_zoo.recording.files.episode import Episode
from defiance_zoo.recording.files.header import HEADER, read_header
from defiance_zoo.recording.files.rows import Known, describe_bad_row, find_bad_row
from defiance_zoo.recording.files.steps import MOST_BYTES_OF_STEPS, read_steps

_TIME, _NUMBER, _REAL, _WORD = pa.int64(), pa.int64(), pa.float64(), pa.string()

TABLES: Mapping[str, Mapping[str, Any]] = {
    "messages": {
        "sent_ns": _TIME,
        "received_ns": _TIME,
        "channel": _NUMBER,
        "bytes": _NUMBER,
        "outcome": _WORD,
    },
    "links": {
        "time_ns": _TIME,
        "link": _NUMBER,
        "node": _NUMBER,
        "queue_packets": _NUMBER,
        "queue_bytes": _NUMBER,
        "sent_bytes": _NUMBER,
    },
    "positions": {"time_ns": _TIME, "node": _NUMBER, "x": _REAL, "y": _REAL, "z": _REAL},
    "moves": {"time_ns": _TIME, "application": _WORD, "node": _NUMBER},
    "events": {"time_ns": _TIME, "kind": _WORD, "agent": _WORD, "text": _WORD},
}
"""Names and types of the columns of each file NAME.csv."""

EVENTS = "events.csv"

_MOST_FILE_BYTES = 256 * 2**20
_BYTES, _BYTES_OF_ROW = 3, 150
"""Memory for each byte and each line of a file while it is decoded and checked, in bytes."""


def read_table(folder: Path, name: str, *, ended: bool, known: Known) -> Any:
    """Return a table of the simulation; without rows if there is no such file.

    The incomplete last line of a killed simulation is left out, unless the episode has ended.
    """
    path, columns = folder / f"{name}.csv", TABLES[name]
    schema = pa.schema(list(columns.items()))
    with naming(path, kind=InvalidRecording):
        try:
            content = read_bytes(path, _MOST_FILE_BYTES)
        except FileNotFoundError:
            return schema.empty_table()
    data = whole_lines(content)
    if ended and (fault := _find_cut(content, data)):
        raise InvalidRecording(f"{path} is damaged: {fault}")
    if not data:
        return schema.empty_table()
    if _BYTES * len(data) + _BYTES_OF_ROW * data.count(b"\n") > MOST_MEMORY:
        raise InvalidRecording(f"{path} would take more than {MOST_MEMORY:,} bytes of memory")
    try:
        table = pyarrow.csv.read_csv(
            io.BytesIO(data),
            parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(column_types=schema, null_values=[""]),
        )
        names = table.column_names
    except (pa.ArrowException, MemoryError, ValueError) as error:  # pyarrow raises all three
        raise InvalidRecording(f"{path} is damaged: {error}") from error
    if names != schema.names:
        raise InvalidRecording(f"{path} has columns {names}, not {schema.names}")
    if bad := find_bad_row(name, table, known):
        raise InvalidRecording(f"{path} is damaged: {describe_bad_row(data, bad)}")
    return table


def _find_cut(content: bytes, whole: bytes) -> str | None:
    """Return the fault of a file that does not consist of whole lines."""
    line = whole.count(b"\n")
    if len(whole) != content.rfind(b"\n") + 1:
        return f"a quotation mark after line {line} has no end"
    if len(whole) != len(content):
        return f"line {line + 1} is incomplete"
    return None if content else "it is empty"


def whole_lines(data: bytes) -> bytes:
    """Return all complete lines; a text in quotation marks may have several lines."""
    end = data.rfind(b"\n") + 1
    is_open = data.count(b'"', 0, end) % 2
    while is_open:
        begin = data.rfind(b"\n", 0, end - 1) + 1
        is_open ^= data.count(b'"', begin, end) % 2
        end = begin
    return data[:end]


TOPOLOGY, COMMUNICATION = "topology.json", "communication.json"
_TOPOLOGY_FORMAT = 1
_ATTEMPTS = 3  # to read an episode that is being written


def load_episode(folder: Path, most_bytes: int = MOST_BYTES_OF_STEPS) -> Episode:
    """Return a recorded episode, even if it still runs or its process was killed."""
    if not folder.is_dir():
        raise InvalidRecording(f"{folder} is not a recorded episode: there is no such folder")
    if not (folder / HEADER).exists():
        inside = sorted(folder.glob(f"[!.]*/{HEADER}"))
        such = f", but contains episodes, such as {inside[0].parent}" if inside else ""
        raise InvalidRecording(f"{folder} is not a recorded episode: it has no {HEADER}{such}")
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
    for name in TABLES if ended and topology is not None else ():
        if not (folder / f"{name}.csv").exists():  # simulations write it along with the topology
            raise InvalidRecording(f"{folder} is damaged: {name}.csv is missing")
    known = Known.of(header, topology)
    return Episode(
        path=folder,
        header=header,
        steps=read_steps(folder, header, most_bytes),
        topology=topology,
        communication=_read_if_there(folder / COMMUNICATION),
        **{name: read_table(folder, name, ended=ended, known=known) for name in TABLES},
    )


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
