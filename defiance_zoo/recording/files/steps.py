# SPDX-License-Identifier: GPL-2.0-only
"""Steps as tables: a row for each agent of each round."""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from defiance_zoo.bridge.system.plain_values import to_plain
from defiance_zoo.bridge.system.reading import parse_json, read_bytes
from defiance_zoo.errors import InvalidRecording
from defiance_zoo.recording.files.columns import column_type, to_column, to_values
from defiance_zoo.recording.files.header import AgentColumns, Header
from defiance_zoo.recording.recording import PlayedRound, RecordedRound, RecordedStep

STEPS = "steps.parquet"
PARTS = "steps"
"""The folder of parts, until the episode is over."""

MOST_BYTES_OF_STEPS = 512 * 2**20
"""The default maximum memory for the steps of an episode, in bytes."""

_REFERENCE_BYTES = 4
_GROUP_BYTES = 64 * 2**20  # in memory
_WRITTEN: dict[str, Any] = {
    "compression": "zstd",
    "use_dictionary": ["agent", "info"],
    "write_page_checksum": True,  # only the checksum detects a flipped bit in a number
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
    """Return steps as one table with all columns; columns are null before their agents join."""
    whole = schema(header).empty_table()
    return pa.concat_tables([whole, *tables], promote_options="default")


def to_parquet(table: Any) -> bytes:
    """Return the file of steps."""
    content = io.BytesIO()
    pq.write_table(table, content, **_WRITTEN)
    return content.getvalue()


def write_steps(file: IO[bytes], header: Header, tables: Iterable[Any]) -> None:
    """Write the file of steps, with at most one row group in memory at a time."""
    with pq.ParquetWriter(file, schema(header), **_WRITTEN) as writer:
        for group in _row_groups(header, tables):
            writer.write_table(group)


def read_part(path: Path) -> Any:
    """Return the steps of a part that this process has written."""
    return pq.read_table(pa.BufferReader(read_bytes(path)))


def read_steps(folder: Path, header: Header, most_bytes: int = MOST_BYTES_OF_STEPS) -> Any:
    """Return all steps of an episode, or of its parts before the end."""
    whole = folder / STEPS
    if whole.exists():
        paths = [whole]
    elif header.outcome == "playing":
        paths = sorted((folder / PARTS).glob("[0-9]*.parquet"))
    else:
        raise InvalidRecording(f"{folder} is damaged: {STEPS} is missing")
    tables = []
    for path in paths:
        tables.append(_read(path, header, most_bytes))
        most_bytes -= tables[-1].nbytes
    table = join(header, tables)
    _require_order(folder, header, table)
    return table


def _row_groups(header: Header, tables: Iterable[Any]) -> Iterator[Any]:
    """Yield tables with all columns, each for a row group; at least one."""
    waiting: list[Any] = []
    size = 0
    for each in tables:
        waiting.append(each)
        size += each.nbytes
        if size >= _GROUP_BYTES:
            yield join(header, waiting)
            waiting, size = [], 0
    yield join(header, waiting)


def _read(path: Path, header: Header, most_bytes: int) -> Any:
    try:
        content = read_bytes(path, most_bytes // 2)
        table, fault = _decode(content, header, most_bytes)
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException, MemoryError, ValueError) as error:  # pyarrow raises all
        cause = getattr(error, "strerror", None) or error
        raise InvalidRecording(f"{path} is damaged: {cause}") from error
    if fault:
        raise InvalidRecording(f"{path} is damaged: {fault}")
    return table


def _decode(content: bytes, header: Header, most_bytes: int) -> tuple[Any, str | None]:
    """Return a file as a table, or the reason why its steps are invalid.

    The file stores repeated texts once, so a small file may be a large table. Texts are decoded as
    references first, which have a known size.
    """
    expected = schema(header)
    with pq.ParquetFile(pa.BufferReader(content)) as file:
        if fault := _find_wrong_column(file.schema_arrow, expected):
            return None, fault
        leaves = [file.schema.column(place) for place in range(len(file.schema))]
        texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        too_large = f"it would take more than {most_bytes:,} bytes of memory"
        if _least_size(file.metadata, file.schema_arrow) > most_bytes:
            return None, too_large
    with pq.ParquetFile(
        pa.BufferReader(content), page_checksum_verification=True, read_dictionary=texts
    ) as file:
        table = file.read()
    chunks = (chunk for column in table.columns for chunk in column.chunks)
    if table.nbytes + sum(map(_text_size, chunks)) > most_bytes:
        return None, too_large
    table = table.cast(pa.schema([expected.field(name) for name in table.column_names]))
    for name in (*_BEFORE, *_AFTER):
        if table[name].null_count:
            return None, f"column {name} has rows without a value"
    if not np.isfinite(table["reward"].to_numpy()).all():
        return None, "column reward holds a value that is not a finite number"
    unknown = {*table["agent"].unique().to_pylist()} - header.agents.keys()
    return table, f"the header has no agents {sorted(unknown)}" if unknown else None


def _find_wrong_column(found: Any, expected: Any) -> str | None:
    """Describe the first wrong column of a file; a part of the steps lacks some columns."""
    for name in (*_BEFORE, *_AFTER, *found.names):
        if name not in found.names:
            return f"it has no column {name}"
        if name not in expected.names:
            return f"it has a column {name}, which is not in the header"
        if found.names.count(name) > 1:
            return f"it has the column {name} twice"
        there, wanted = found.field(name).type, expected.field(name).type
        if there != wanted:
            return f"column {name} holds {there}, not {wanted}"
    return None


def _least_size(metadata: Any, found: Any) -> int:
    """Return a lower bound of the memory of a file, in bytes, without decoding it."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    parts = [group.column(place) for group in groups for place in range(group.num_columns)]
    rows = max(int(metadata.num_rows), sum(int(group.num_rows) for group in groups))
    decoded = rows * sum(_width(field.type) for field in found)
    written = sum(int(part.total_uncompressed_size) for part in parts)
    return max(decoded, written, sum(int(part.num_values) for part in parts))


def _width(kind: Any) -> int:
    """Return a lower bound of the bytes of a value of a type."""
    if pa.types.is_struct(kind):
        return sum(_width(kind.field(place).type) for place in range(kind.num_fields))
    if pa.types.is_fixed_size_list(kind):
        return int(kind.list_size) * _width(kind.value_type)
    return max(1, int(kind.bit_width) // 8) if pa.types.is_primitive(kind) else _REFERENCE_BYTES


def _text_size(array: Any) -> int:
    """Return the bytes of the texts that an array refers to, at any depth."""
    if pa.types.is_struct(array.type):
        return sum(_text_size(array.field(place)) for place in range(array.type.num_fields))
    if not pa.types.is_dictionary(array.type):
        return 0
    lengths = pc.binary_length(array.dictionary).take(array.indices)
    return int(pc.sum(lengths.cast(pa.int64())).as_py() or 0)


def _require_order(folder: Path, header: Header, table: Any) -> None:
    """Refuse missing steps."""
    numbers = table["round"].to_numpy()
    jumps = np.flatnonzero(~np.isin(np.diff(numbers, prepend=-1), (0, 1)))
    if len(jumps):
        at = int(jumps[0])
        before = int(numbers[at - 1]) if at else "nothing"
        raise InvalidRecording(f"{folder} is damaged: round {numbers[at]} comes after {before}")
    _require_times(folder, header, numbers, table["time_ns"].to_numpy())
    found = int(numbers[-1]) + 1 if len(numbers) else 0
    # An episode may end with a round without any agent.
    if header.rounds is not None and header.rounds - found not in (0, 1):
        raise InvalidRecording(
            f"{folder} is damaged: {found} rounds, but {header.rounds} were played"
        )


def _require_times(
    folder: Path, header: Header, numbers: NDArray[np.int64], times: NDArray[np.int64]
) -> None:
    """Refuse rounds whose times decrease, or are after the end."""
    before = np.concatenate([[0], times[:-1]])
    end = np.iinfo(np.int64).max if header.end_ns is None else header.end_ns
    wrong = np.flatnonzero((times < before) | (times > end))
    if len(wrong):
        at = int(wrong[0])
        upto = "" if header.end_ns is None else f" up to the end at {end}"
        raise InvalidRecording(
            f"{folder} is damaged: the steps of round {numbers[at]} have time_ns={times[at]}, "
            f"but a time from {before[at]} on{upto} was expected"
        )


def to_table(header: Header, rounds: Sequence[PlayedRound], first: int) -> Any:
    """Return rounds as rows of steps."""
    rows: list[tuple[Any, ...]] = []
    for number, each in enumerate(rounds, first):
        _add_rows(rows, number, each)
    if not rows:
        return schema(header).empty_table()
    numbers, times, agents, observed, acted, rewards, terminated, truncated, infos = zip(
        *rows, strict=True
    )
    columns: dict[str, Any] = {
        "round": np.array(numbers, np.int64),
        "time_ns": np.array(times, np.int64),
        "agent": pa.array(agents, pa.string()),
        "reward": np.array(rewards, np.float64),
        "terminated": np.array(terminated, np.bool_),
        "truncated": np.array(truncated, np.bool_),
        "info": pa.array(infos, pa.string()),
    }
    for place, values in enumerate((observed, acted)):
        columns.update(_values(header, place, agents, values))
    return pa.table({field.name: columns[field.name] for field in schema(header)})


def _add_rows(rows: list[tuple[Any, ...]], number: int, played: PlayedRound) -> None:
    """Add the rows of agents that end, and then of agents that decide."""
    time_ns, ended, asked, infos, actions = played
    for end in ended:
        over, values = end.terminated, (end.agent, end.observation, None, end.reward)
        rows.append((number, time_ns, *values, over, not over, write_info(end.info)))
    given = actions if len(actions) == len(asked) else {}
    for (agent, observation, reward, _), info in zip(asked, infos, strict=True):
        values = (agent, observation, given.get(agent), reward)
        rows.append((number, time_ns, *values, False, False, write_info(info) if info else "{}"))


def _values(
    header: Header, place: int, agents: Sequence[str], values: Sequence[Any]
) -> Iterator[tuple[str, Any]]:
    """Return the columns of observations (0) or actions (1), of which there is usually one."""
    names = {agent: columns[place] for agent, columns in header.agents.items()}
    for name in dict.fromkeys(names.values()):
        if len(set(names.values())) == 1:
            own = values
        else:
            own = [v if names[a] == name else None for a, v in zip(agents, values, strict=True)]
        yield name, to_column(header.columns[name], own)


_ENCODE = json.JSONEncoder(allow_nan=False, default=to_plain).encode


def write_info(info: Mapping[str, Any]) -> str:
    """Return infos as JSON; numbers that are not finite are null."""
    if not info:
        return "{}"
    try:
        return _ENCODE(info)
    except ValueError:
        return json.dumps(to_plain(info), allow_nan=False)


def to_rounds(header: Header, table: Any) -> tuple[RecordedRound, ...]:
    """Return rows of steps as rounds."""
    rows = zip(
        *(table[name].to_pylist() for name in ("round", "time_ns", "agent", "reward")),
        table["terminated"].to_pylist(),
        table["truncated"].to_pylist(),
        read_infos(table["info"].to_pylist()),
        _read_values(header, table, 0),
        _read_values(header, table, 1),
        strict=True,
    )
    rounds = [_round(list(each)) for _, each in itertools.groupby(rows, key=lambda row: row[0])]
    if header.rounds == len(rounds) + 1:  # the last round has no agents
        rounds.append(RecordedRound(header.end_ns or 0, {}, {}, {}))
    return tuple(rounds)


def _round(rows: Sequence[tuple[Any, ...]]) -> RecordedRound:
    asked, ended, actions = {}, {}, {}
    for _, _, agent, reward, terminated, truncated, info, observation, action in rows:
        if terminated or truncated:
            ended[agent] = RecordedStep(reward, info, terminated, observation)
        else:
            asked[agent] = RecordedStep(reward, info, observation=observation)
        if action is not None:
            actions[agent] = to_plain(action)
    return RecordedRound(rows[0][1], asked, ended, actions)


def _read_values(header: Header, table: Any, place: int) -> list[Any]:
    columns: dict[str, AgentColumns] = dict(header.agents)
    found = {
        name: to_values(header.columns[name], table[name])
        for name in {each[place] for each in columns.values()}
    }
    agents = table["agent"].to_pylist()
    return [found[columns[agent][place]][row] for row, agent in enumerate(agents)]


def read_infos(texts: Iterable[str]) -> list[dict[str, Any]]:
    """Return infos from JSON."""
    try:
        infos = [parse_json(each) for each in texts]
    except ValueError as error:
        raise InvalidRecording(f"an info is not JSON: {error}") from error
    if not all(isinstance(each, dict) for each in infos):
        raise InvalidRecording("an info is not an object")
    return infos
