# SPDX-License-Identifier: GPL-2.0-only
"""Checks of the tables of simulations for values that no simulation writes."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute

from defiance_zoo.recording.files.header import Header

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


def _check_events(checks: _Checks) -> None:
    """Add no check: transfers are reported later, and the texts of scenarios are free."""


_TABLES: Mapping[str, Callable[[_Checks], None]] = {
    "messages": _check_messages,
    "links": _check_links,
    "positions": _check_positions,
    "moves": _check_moves,
    "events": _check_events,
}


def _all(items: Any, key: str) -> frozenset[Any]:
    return frozenset(each[key] for each in items if isinstance(each.get(key), int | str))


def _some(among: Any) -> str:
    """Return the choices as text, or the first of many."""
    listed = sorted(map(str, among), key=lambda text: (len(text), text))
    shown, rest = listed[:_SHOWN], len(listed) - _SHOWN
    return ", ".join([*shown, f"{rest} more"] if rest > 0 else shown) or "there are none"
