# SPDX-License-Identifier: GPL-2.0-only
"""Reading of the folder of an episode, with checks of all contents."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray
from pyarrow import compute

from defiance_zoo.bridge.system.reading import MOST_MEMORY, naming, read_bytes
from defiance_zoo.errors import InvalidRecording
from defiance_zoo.recording.files.episode import Episode
from defiance_zoo.recording.files.header import HEADER, Header, read_header
from defiance_zoo.recording.files.steps import MOST_BYTES_OF_STEPS, read_steps
from defiance_zoo.recording.recording import naming_recording, read_object, take

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


OUTCOMES = ("received", "lost", "in flight")
"""The outcome of a message."""
_LATE_NS = 1_000
"""Tolerance in ns: a simulation stops a moment after its last round."""
_OPTIONAL = ("received_ns",)
_SHOWN = 6
"""Number of choices in a message."""


@dataclass(frozen=True)
class Known:
    """The times, ids and names that the tables of an episode may use; None: any.

    Attributes:
        end_ns: Simulated time of the end; None for an incomplete episode.
        nodes: Ids of the nodes at the beginning of the episode.
        links: The nodes of each link, by its id.
        channels: Ids of all channels.
        applications: Names of all RL applications.
        in_order: Whether samples are in the order of their times.
    """

    end_ns: int | None = None
    nodes: frozenset[Any] | None = None
    links: Mapping[Any, Any] | None = None
    channels: frozenset[Any] | None = None
    applications: frozenset[Any] | None = None
    in_order: bool = True

    @classmethod
    def of(cls, header: Header, topology: Mapping[str, Any] | None) -> Known:
        """Return the known facts of an episode, from its header and its topology.

        Channels and applications may be added during an episode, so a killed simulation may have
        written rows about additions that its topology lacks. After some restored snapshots,
        its files hold another path, which the header notes.
        """
        whole, one_path = header.outcome == "ended", not header.notes
        end_ns = header.end_ns if whole and one_path else None
        if topology is None:
            return cls(end_ns, in_order=one_path)
        listed = whole and one_path
        return cls(
            end_ns=end_ns,
            nodes=_all(topology["nodes"], "id"),
            links={
                each["id"]: each.get("nodes")
                for each in topology["links"]
                if isinstance(each.get("id"), int)
            },
            channels=_all(topology["channels"], "id") if listed else None,
            applications=_all(topology["applications"], "name") if listed else None,
            in_order=one_path,
        )


class Fault(NamedTuple):
    """An impossible value: the index of its row, its column, and the possible values."""

    row: int
    column: str
    expected: str


def find_bad_row(name: str, table: Any, known: Known) -> Fault | None:
    """Return the first impossible value of a table; None if there is none."""
    checks = _Checks(table, known)
    for column in table.column_names:
        if column not in _OPTIONAL:
            checks.add(column, checks.missing(column), "a value")
        if pa.types.is_floating(table[column].type):
            checks.add(column, ~np.isfinite(checks.values(column)), "a finite number")
        if column.endswith("_ns"):
            checks.time(column)
    _TABLES[name](checks)
    return min(checks.found, key=lambda fault: fault.row, default=None)


def describe_bad_row(data: bytes, fault: Fault) -> str:
    """Describe an impossible value of a file, and the expected values."""
    reader = csv.reader(io.StringIO(data.decode(), newline=""))
    with contextlib.suppress(csv.Error, IndexError, StopIteration, UnicodeDecodeError):
        columns = next(reader)
        line, place = reader.line_num, -1
        for row in reader:
            begin, line = line + 1, reader.line_num
            place += bool(row)
            if place == fault.row:
                shown_value = repr(row[columns.index(fault.column)])
                where = f"line {begin}: {fault.column} is {shown_value}"
                return f"{where}, where {fault.expected} was expected"
    # The two readers may disagree about ends of lines, for example with carriage returns.
    return f"row {fault.row}: {fault.column} is not {fault.expected}"


# ---------------------------------------------------------------------------- inside


@dataclass
class _Checks:
    """Collects the first fault of each check."""

    table: Any
    known: Known
    found: list[Fault] = field(default_factory=list)

    def missing(self, column: str) -> NDArray[np.bool_]:
        return np.asarray(self.table[column].is_null().to_numpy())

    def values(self, column: str) -> NDArray[Any]:
        """Return a column, with 0 for missing values."""
        return np.asarray(self.table[column].fill_null(0).to_numpy())

    def equal(self, column: str, text: str) -> NDArray[np.bool_]:
        """Return the rows in which a column has a text."""
        return np.asarray(compute.equal(self.table[column].fill_null(""), text).to_numpy())

    def add(
        self, column: str, wrong: NDArray[np.bool_], expected: str | Callable[[int], str]
    ) -> None:
        """Note the first wrong row, and the expected value."""
        places = np.flatnonzero(wrong)
        if len(places):
            row = int(places[0])
            words = expected if isinstance(expected, str) else expected(row)
            self.found.append(Fault(row, column, words))

    def at_least_0(self, column: str, what: str) -> None:
        self.add(column, self.values(column) < 0, what)

    def time(self, column: str) -> None:
        self.at_least_0(column, "a time from 0 on")
        end = self.known.end_ns
        if end is not None:
            late = self.values(column) > end + _LATE_NS
            self.add(column, late, f"a time up to the end of the episode at {end}")

    def one_of(self, column: str, among: Any, what: str) -> None:
        """Check that a column has only known names."""
        if among is None:
            return
        unknown = {*self.table[column].unique().to_pylist()} - {*among, None}
        if unknown:
            some = pa.array(unknown, self.table[column].type)
            wrong = compute.is_in(self.table[column], some).to_numpy()
            self.add(column, wrong, f"{what} ({_some(among)})")

    def grows(self, column: str, what: str, *by: str) -> None:
        """Check that a column does not decrease within groups of rows with equal other columns."""
        if not self.known.in_order or len(self.table) < 2:
            return
        keys = [self.values(name) for name in by]
        order = np.lexsort((np.arange(len(self.table)), *keys))
        values = self.values(column)[order]
        same = np.all([key[order][1:] == key[order][:-1] for key in keys], axis=0)
        less = same & (values[1:] < values[:-1])
        rows = order[1:][less]
        if len(rows):
            row = int(rows.min())
            at = int(np.flatnonzero(order == row)[0])
            self.found.append(Fault(row, column, f"{what} from {values[at - 1]} on"))


def _check_messages(checks: _Checks) -> None:
    checks.one_of("outcome", OUTCOMES, "an outcome")
    checks.one_of("channel", checks.known.channels, "a channel of the topology")
    checks.at_least_0("channel", "a number from 0 on")
    checks.at_least_0("bytes", "a number from 0 on")
    arrived = checks.equal("outcome", "received")
    missing = checks.missing("received_ns")
    sent, received = checks.values("sent_ns"), checks.values("received_ns")
    checks.add("received_ns", arrived & missing, "the time at which it was received")
    checks.add("received_ns", ~arrived & ~missing, "no value, as it was not received,")
    early = arrived & ~missing & (received < sent)
    checks.add("received_ns", early, lambda row: f"a time from {sent[row]} on, when it was sent,")


def _check_links(checks: _Checks) -> None:
    links = checks.known.links
    checks.one_of("link", links, "a link of the topology")
    checks.one_of("node", checks.known.nodes, "a node of the topology")
    for column in ("link", "node", "queue_packets", "queue_bytes", "sent_bytes"):
        checks.at_least_0(column, "a number from 0 on")
    checks.grows("time_ns", "a time")
    checks.grows("sent_bytes", "the last value or more,", "link", "node")
    pairs = checks.table.group_by(["link", "node"]).aggregate([]).to_pylist()
    for link, node in ((each["link"], each["node"]) for each in pairs):
        among = links.get(link) if links else None
        if isinstance(among, list) and node not in among:
            wrong = (checks.values("link") == link) & (checks.values("node") == node)
            checks.add("node", wrong, f"a node of link {link} ({_some(among)})")


def _check_positions(checks: _Checks) -> None:
    checks.one_of("node", checks.known.nodes, "a node of the topology")
    checks.at_least_0("node", "a number from 0 on")
    checks.grows("time_ns", "a time")


def _check_moves(checks: _Checks) -> None:
    # The node may have been made after the topology was written.
    checks.at_least_0("node", "a number from 0 on")
    checks.one_of("application", checks.known.applications, "an application of the topology")
    checks.grows("time_ns", "a time")


_TABLES: Mapping[str, Callable[[_Checks], None]] = {
    "messages": _check_messages,
    "links": _check_links,
    "positions": _check_positions,
    "moves": _check_moves,
    # Transfers are reported later, and the texts of scenarios are free.
    "events": lambda _checks: None,
}


def _all(items: Any, key: str) -> frozenset[Any]:
    return frozenset(each[key] for each in items if isinstance(each.get(key), int | str))


def _some(among: Any) -> str:
    """Return the choices as text, or the first of many."""
    listed = sorted(map(str, among), key=lambda text: (len(text), text))
    shown, rest = listed[:_SHOWN], len(listed) - _SHOWN
    return ", ".join([*shown, f"{rest} more"] if rest > 0 else shown) or "there are none"
