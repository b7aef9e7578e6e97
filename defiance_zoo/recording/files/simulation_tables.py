# SPDX-License-Identifier: GPL-2.0-only
"""Tables that the running simulation writes; the last line may be incomplete."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from defiance_zoo.bridge.system.reading import MOST_MEMORY, naming, read_bytes
from defiance_zoo.errors import InvalidRecording
from defiance_zoo.recording.files.rows import Known, describe_bad_row, find_bad_row

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

    An incomplete last line, of a killed simulation, is left out.

    Args:
        folder: Folder of the episode.
        name: Name of the table.
        ended: Whether the episode is complete, so that all lines are complete.
        known: The names that rows may use.

    Raises:
        InvalidRecording: The file is damaged, has other columns, or an impossible value.
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
