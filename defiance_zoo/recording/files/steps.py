# SPDX-License-Identifier: GPL-2.0-only
"""Steps as tables: a row for each agent of each round."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from defiance_zoo.errors import InvalidRecording
from defiance_zoo.recording.files.columns import column_type
from defiance_zoo.recording.files.header import Header

STEPS = "steps.parquet"
PARTS = "steps"
"""The folder of parts, until the episode is over."""

_GROUP_BYTES = 64 * 2**20  # in memory
_WRITTEN: dict[str, Any] = {
    "compression": "zstd",
    "use_dictionary": ["agent", "info"],
    "write_page_checksum": True,  # a flipped bit may be another number, which nothing else notices
}
_BEFORE = {"round": pa.int64(), "time_ns": pa.int64(), "agent": pa.string()}
_AFTER = {
    "reward": pa.float64(),
    "terminated": pa.bool_(),
    "truncated": pa.bool_(),
    "info": pa.string(),
}


def schema(header: Header) -> Any:
    """Return names and types of the columns of an episode's steps."""
    types = {name: column_type(space) for name, space in header.columns.items()}
    return pa.schema([*_BEFORE.items(), *types.items(), *_AFTER.items()])


def join(header: Header, tables: Sequence[Any]) -> Any:
    """Return steps as one table with all columns; what came later is null in what was before."""
    whole = schema(header)
    parts = [_widen(each, whole) for each in tables]
    return pa.concat_tables(parts) if parts else whole.empty_table()


def to_parquet(table: Any) -> bytes:
    """Return the file of steps."""
    content = io.BytesIO()
    pq.write_table(table, content, **_WRITTEN)
    return content.getvalue()


def write_steps(file: IO[bytes], header: Header, tables: Iterable[Any]) -> None:
    """Write the file of steps; no more of them are in memory at a time than a row group has."""
    with pq.ParquetWriter(file, schema(header), **_WRITTEN) as writer:
        for group in _row_groups(header, tables):
            writer.write_table(group)


def read_part(path: Path) -> Any:
    """Return the steps of a part, which this process has written."""
    return pq.read_table(io.BytesIO(path.read_bytes()))


def read_steps(folder: Path, header: Header) -> Any:
    """Return all steps of an episode, or those of its parts as long as it is played.

    Raises:
        InvalidRecording: They are missing or damaged, or not what the header says.
    """
    whole = folder / STEPS
    if whole.exists():
        paths = [whole]
    elif header.outcome == "playing":
        paths = sorted((folder / PARTS).glob("[0-9]*.parquet"))
    else:
        raise InvalidRecording(f"{folder} is damaged: {STEPS} is missing")
    table = join(header, [_read(path, header) for path in paths])
    _require_order(folder, header, table)
    return table


def _row_groups(header: Header, tables: Iterable[Any]) -> Iterator[Any]:
    """Return tables that are each to be a row group, with all columns; at least one."""
    waiting: list[Any] = []
    size = 0
    for each in tables:
        waiting.append(each)
        size += each.nbytes
        if size >= _GROUP_BYTES:
            yield join(header, waiting)
            waiting, size = [], 0
    yield join(header, waiting)


def _read(path: Path, header: Header) -> Any:
    try:
        content = io.BytesIO(path.read_bytes())
        table = pq.read_table(content, page_checksum_verification=True)
        fault = _find_fault(table, header)
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:  # pyarrow raises all three
        raise InvalidRecording(f"{path} is damaged: {error}") from error
    if fault:
        raise InvalidRecording(f"{path} is damaged: {fault}")
    return table


def _find_fault(table: Any, header: Header) -> str | None:
    """Return why a table is not one of this episode's steps."""
    expected = schema(header)
    fixed = {*_BEFORE, *_AFTER}
    for name in (*fixed, *table.column_names):
        if name not in table.column_names:
            return f"it has no column {name}"
        if name not in expected.names:
            return f"it has a column {name}, of which the header says nothing"
        found, wanted = table.schema.field(name).type, expected.field(name).type
        if found != wanted:
            return f"column {name} holds {found}, and not {wanted}"
        if name in fixed and table[name].null_count:
            return f"column {name} has rows without a value"
    if not np.isfinite(table["reward"].to_numpy()).all():
        return "column reward holds what is not a finite number"
    unknown = {*table["agent"].unique().to_pylist()} - header.agents.keys()
    return f"the header has no agents {sorted(unknown)}" if unknown else None


def _require_order(folder: Path, header: Header, table: Any) -> None:
    """Refuse steps of which some are missing."""
    numbers = table["round"].to_numpy()
    jumps = np.flatnonzero(~np.isin(np.diff(numbers, prepend=-1), (0, 1)))
    if len(jumps):
        at = int(jumps[0])
        before = int(numbers[at - 1]) if at else "nothing"
        raise InvalidRecording(f"{folder} is damaged: round {numbers[at]} comes after {before}")
    _require_times(folder, header, numbers, table["time_ns"].to_numpy())
    found = int(numbers[-1]) + 1 if len(numbers) else 0
    # An episode may end with a round in which nobody is told anything.
    if header.rounds is not None and header.rounds - found not in (0, 1):
        raise InvalidRecording(
            f"{folder} is damaged: {found} rounds, where {header.rounds} were played"
        )


def _require_times(
    folder: Path, header: Header, numbers: NDArray[np.int64], times: NDArray[np.int64]
) -> None:
    """Refuse rounds that are before others, or after the end."""
    before = np.concatenate([[0], times[:-1]])
    end = np.iinfo(np.int64).max if header.end_ns is None else header.end_ns
    wrong = np.flatnonzero((times < before) | (times > end))
    if len(wrong):
        at = int(wrong[0])
        upto = "" if header.end_ns is None else f" up to the end at {end}"
        raise InvalidRecording(
            f"{folder} is damaged: the steps of round {numbers[at]} have time_ns={times[at]}, "
            f"where a time from {before[at]} on{upto} was expected"
        )


def _widen(table: Any, whole: Any) -> Any:
    columns = [
        table[field.name] if field.name in table.column_names else pa.nulls(len(table), field.type)
        for field in whole
    ]
    return pa.table(columns, schema=whole)
