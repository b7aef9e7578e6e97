# SPDX-License-Identifier: GPL-2.0-only
"""The log of one episode: its written part, and the part that is still to be written."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from defiance_zoo.bridge.simulation import Agent
from defiance_zoo.recording.files.header import AgentColumns, Header
from defiance_zoo.recording.options import Record
from defiance_zoo.recording.recording import Outcome, PlayedRound

if TYPE_CHECKING:
    from defiance_zoo.recording.files.writing import EpisodeFolder

_PART_S = 1.0  # seconds of wall time between parts
_SLOW_S = 0.5  # a step this long writes a part at once


class Writings:
    """The files that a simulation and its copies write in the folder of an episode.

    At a return to a snapshot, files are cut to their length at the snapshot; before it, they hold
    the path that was written last.

    `has_copies`: there were snapshots that may continue in these files.
    """

    def __init__(self, folder: EpisodeFolder | None) -> None:
        self.folder, self.has_copies = folder, False
        self._stretches = [(0, 0)]  # number and first round of each stretch
        self._last = 0

    @property
    def stretch(self) -> int:
        """Number of the stretch since the last return."""
        return self._stretches[-1][0]

    def go_back(self, stretch: int, rounds: int) -> bool:
        """Continue from a snapshot; return whether the files hold the path before it."""
        begins = [*(begin for _, begin in self._stretches[1:]), rounds]
        intact = False
        for place, ((number, _), end) in enumerate(zip(self._stretches, begins, strict=True)):
            if number == stretch and rounds <= end:
                intact = True
                del self._stretches[place + 1 :]
                break
        self._last += 1
        self._stretches.append((self._last, rounds))
        return intact


@dataclass(frozen=True)
class Past:
    """An episode so far; immutable.

    Attributes:
        header: Facts of the start of the episode.
        tables: Steps as tables.
        first: Number of the first round that is not in the tables.
        rounds: Rounds that are not in the tables.
        writings: Files of its simulation.
        stretch: Number of the last stretch in these files.
    """

    header: Header
    tables: tuple[Any, ...]
    first: int
    rounds: tuple[PlayedRound, ...]
    writings: Writings
    stretch: int = 0

    def returned(self) -> Past:
        """Return a copy for an episode that continues from here with its simulation."""
        if self.writings.go_back(self.stretch, self.first + len(self.rounds)):
            return self
        new_note = "the simulation's files before the snapshot are of another path"
        notes = tuple(dict.fromkeys((*self.header.notes, new_note)))
        return replace(self, header=replace(self.header, notes=notes))


class EpisodeLog:
    """The steps of one episode, written to its folder in parts, and as a whole at the end."""

    def __init__(
        self, record: Record, agents: Mapping[str, Agent], folder: EpisodeFolder, past: Past
    ) -> None:
        self.folder = folder
        self._record, self._agents = record, agents
        self.go_back(past)

    def go_back(self, past: Past) -> None:
        """Continue from a past of the episode."""
        self.folder.remove_parts()
        self.header, self.writings = past.header, past.writings
        self._tables, self._first = list(past.tables), past.first
        self._rounds = [*past.rounds[:-1], *(each.copy() for each in past.rounds[-1:])]
        self.actions: dict[str, Any] = self._rounds[-1].actions if self._rounds else {}
        self._written = 0  # tables that are written as parts
        # Parts are dropped unless the whole is needed before it is written.
        self._holds_all = self._record.keep is not None or bool(past.tables or past.rounds)
        self._due = self._asked = time.monotonic() + _PART_S
        self.folder.write_header(self.header)

    def past(self) -> Past:
        """Return the episode so far."""
        self.writings.has_copies = True
        if not self._holds_all:
            parts = list(self.folder.read_parts())
            self._tables[:0], self._written, self._holds_all = parts, len(parts), True
        rounds = (*self._rounds[:-1], *(each.copy() for each in self._rounds[-1:]))
        tables, stretch = tuple(self._tables), self.writings.stretch
        return Past(self.header, tables, self._first, rounds, self.writings, stretch)

    def take(self, played: PlayedRound) -> None:
        """Add a round, which `actions` will answer."""
        self._rounds.append(played)
        self.actions = played.actions

    def answered(self) -> None:
        """Write rounds that have waited long enough, before the wait for the simulation."""
        now = time.monotonic()
        if now >= self._due or now - self._asked > _SLOW_S:
            self._write_part()
            self._due = now + _PART_S
        self._asked = now

    def finish(
        self, outcome: Outcome, failure: str, communication: Mapping[str, Any] | None
    ) -> bool:
        """Write the whole episode if it is kept; otherwise the caller has to remove the folder.

        If the user's choice raises an error, the episode is kept, and the error is raised.
        """
        end_ns = self._rounds[-1].time_ns if self._rounds else 0
        rounds = self._first + len(self._rounds)
        if not self._first and not self._has_content(outcome):
            return False
        self._encode(len(self._rounds))
        header = replace(
            self.header,
            outcome=outcome,
            failure=failure,
            captures=self.folder.captures(),
            rounds=rounds,
            end_ns=end_ns,
        )
        error: Exception | None = None
        try:
            if not self._is_kept(header):
                return False
        except Exception as raised:  # of a user's function
            error = raised
        if failure:
            self.folder.note_failure(end_ns, failure)
        self.folder.write_header(self.header)  # the header has all agents before the steps
        parts = () if self._holds_all else self.folder.read_parts()
        self.folder.finish(header, itertools.chain(parts, self._tables), communication)
        self._record.note(self.folder.path)
        if error is not None:
            raise error
        return True

    def _has_content(self, outcome: Outcome) -> bool:
        """Return whether an agent has decided, or the episode ended before an agent could."""
        if any(each.actions for each in self._rounds):
            return True
        return outcome == "ended" and any(each.ended for each in self._rounds)

    def _is_kept(self, header: Header) -> bool:
        if self._record.keep is None:
            return True
        from defiance_zoo.recording.files.steps import join, to_rounds

        table = join(header, self._tables)
        return self._record.keep(header.to_recording(to_rounds(header, table)))

    def _write_part(self) -> None:
        """Write the rounds that have been answered since the last part."""
        complete = len(self._rounds)
        if self._rounds and not self._rounds[-1].is_answered:
            complete -= 1
        self._encode(complete)
        new = self._tables[self._written :]
        if new:
            from defiance_zoo.recording.files.steps import join

            self.folder.write_part(self.header, join(self.header, new))
            self._written = len(self._tables)
            if not self._holds_all:
                self._tables, self._written = [], 0

    def _encode(self, count: int) -> None:
        """Convert the first rounds to a table."""
        if count:
            from defiance_zoo.recording.files.steps import to_table

            rounds, self._rounds = self._rounds[:count], self._rounds[count:]
            self._meet(rounds)
            self._tables.append(to_table(self.header, rounds, self._first))
            self._first += count

    def _meet(self, rounds: list[PlayedRound]) -> None:
        """Add new agents and their columns."""
        known = self.header.agents
        met: list[str] = []
        for played in rounds:
            met += [*(end.agent for end in played.ended), *(step.agent for step in played.asked)]
        new = [name for name in dict.fromkeys(met) if name not in known]
        if not new:
            return
        agents, columns = dict(known), dict(self.header.columns)
        for name in new:
            agent = self._agents[name]
            agents[name] = AgentColumns(
                _column(columns, "observation", agent.observation_space),
                _column(columns, "action", agent.action_space),
            )
        self.header = replace(self.header, agents=agents, columns=columns)


def _column(columns: dict[str, Any], kind: str, space: Any) -> str:
    """Return the column of a space, which is added if it is new."""
    alike = [name for name in columns if name.partition("_")[0] == kind]
    for name in alike:
        if columns[name] is space or columns[name] == space:
            return name
    name = f"{kind}_{len(alike)}" if alike else kind
    columns[name] = space
    return name
