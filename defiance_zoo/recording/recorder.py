# SPDX-License-Identifier: GPL-2.0-only
"""Recording of running episodes."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from defiance_zoo.bridge.simulation import (
    Agent,
    Launcher,
    RecordingFiles,
    Round,
    Rounds,
    Scenario,
    not_for_forks,
)
from defiance_zoo.bridge.system.plain_values import to_plain
from defiance_zoo.errors import SnapshotRefused
from defiance_zoo.recording.episode_log import EpisodeLog, Past, Writings
from defiance_zoo.recording.files.header import HEADER, Header
from defiance_zoo.recording.options import Record, as_record
from defiance_zoo.recording.recording import Outcome, note, note_action, project_version

if TYPE_CHECKING:
    from defiance_zoo.recording.files.writing import EpisodeFolder

CAPTURE = "pcap"
"""The parameter for the beginning of captures' names."""


class EpisodeRecorder:
    """Records the rounds of one environment, and writes each episode; `Episodes` calls it.

    After a return to a snapshot, new rounds follow the rounds before the snapshot, so a recording
    is always an episode from its beginning.
    """

    def __init__(
        self,
        record: Record | str | PathLike[str],
        render_mode: str | None,
        scenario: Scenario,
        rounds: Rounds,
        max_cycles: int | None,
        agents: Mapping[str, Agent],
    ) -> None:
        self._record = as_record(record).open(scenario.name)
        self._scenario, self._rounds, self._max_cycles = scenario, rounds, max_cycles
        self._agents, self._render_mode = agents, render_mode
        self._folder: EpisodeFolder | None = None
        self._bind()

    def _bind(self) -> None:
        """Write the rest of an episode even if the environment is not closed."""
        self._logs: list[EpisodeLog] = []  # the current episode's, if any
        self._left: list[tuple[EpisodeFolder, Writings]] = []
        not_for_forks(self)
        weakref.finalize(self, _finish_all, self._logs, self._left)

    def disown(self) -> None:
        """See `ProcessBound`; the process that plays the episode writes it."""
        self._logs.clear()
        self._left.clear()
        self._folder = None

    @property
    def is_observing(self) -> bool:
        """Whether there is an episode that has not been written."""
        return bool(self._logs)

    # ------------------------------------------------------------------ playing

    def begin(self, seed: int | None, launcher: Launcher) -> Mapping[str, Any]:
        """Make the episode's folder; return the parameter for captures that the scenario makes."""
        rng, parameters = launcher.seeding.current, launcher.in_effect()
        assert rng is not None  # it is set before an episode begins
        plain = {name: to_plain(value) for name, value in parameters.items() if name != CAPTURE}
        ns3 = self._scenario.declaration(parameters)
        header = Header(
            self._scenario.name,
            {"defiance-zoo": project_version(), "ns-3": ns3.ns3_version if ns3 else ""},
            plain,
            rng,
            seed=seed,
            interface=self._rounds,
            max_cycles=self._max_cycles,
            outcome="playing",
            render_mode=self._render_mode,
        )
        folder = self._make_folder(header)
        past = Past(header, (), 0, (), Writings(folder))
        self._logs[:] = [EpisodeLog(self._record, self._agents, folder, past)]
        record, path = self._record, folder.path
        launcher.files = None
        if not record.simulation or launcher.is_attached:  # it may run on another machine
            return {}
        own = record.pcap and ns3 is not None and CAPTURE in ns3.parameters
        launcher.files = RecordingFiles(path, record.interval_ns, record.pcap and not own)
        return {CAPTURE: str(path / "link")} if own else {}

    def begun(self) -> None:
        """Delete folders that no simulation can write to any more."""
        _sweep(self._left, closed=False)

    def not_begun(self) -> None:
        """Remove the episode."""
        while self._logs:
            self._logs.pop().folder.remove()

    def take(self, received: Round) -> None:
        """Add a round to the episode."""
        self._logs[0].take(note(received))

    def decide(self, agent: str, action: Any) -> None:
        """Note a copy of an action, which the caller may change."""
        self._logs[0].actions[agent] = note_action(action)

    def answered(self) -> None:
        """Write rounds that have waited long enough."""
        if self._logs:
            self._logs[0].answered()

    def finish(
        self, end: Outcome, failure: str = "", communication: Mapping[str, Any] | None = None
    ) -> None:
        """Write the episode, if it is kept and has decisions or an end."""
        if self._logs:
            log = self._logs.pop()
            if not log.finish(end, failure, communication):
                self._leave(log.folder, log.writings)

    def close(self) -> None:
        """Delete folders that are not kept, as there are no snapshots any more."""
        _sweep(self._left, closed=True)

    # ------------------------------------------------------------------ returning

    def past(self) -> Past | None:
        """Return the episode so far."""
        return self._logs[0].past() if self._logs else None

    def returned(self, past: Past | None) -> None:
        """Continue from a past of an episode, and discard the rounds after it."""
        if past is not None:
            self._stand_at(past)

    def _stand_at(self, past: Past) -> None:
        returned = past.returned()
        if self._logs and self._logs[0].writings is past.writings:
            self._logs[0].go_back(returned)
            return
        while self._logs:
            log = self._logs.pop()
            self._leave(log.folder, log.writings)
        folder = self._folder or self._make_folder(returned.header)
        self._folder = None
        self._logs.append(EpisodeLog(self._record, self._agents, folder, returned))

    def returning(self, past: Past | None) -> None:
        """Protect a complete episode from the simulation of a restored snapshot."""
        if past is None or (self._logs and self._logs[0].writings is past.writings):
            return
        self._folder = self._make_folder(past.header)
        if past.writings.folder is not None:
            self._folder.take_files(past.writings.folder)
            past.writings.folder = self._folder

    def not_returned(self) -> None:
        """Remove the prepared folder."""
        if self._folder is not None:
            self._folder.remove()
            self._folder = None

    def require_copyable(self) -> None:
        """Refuse to copy a simulation whose packets are captured."""
        if self._record.pcap:
            raise SnapshotRefused("packets are captured, which copies of a simulation would mix")

    def branch(self, agents: Mapping[str, Agent]) -> EpisodeRecorder:
        """Return another recorder, to the same folder."""
        other = EpisodeRecorder.__new__(EpisodeRecorder)
        vars(other).update(vars(self))
        other._agents, other._folder = agents, None
        other._bind()
        past = self.past()
        if past is not None:
            new_note = "branched off: the files of the simulation are missing"
            header = replace(past.header, notes=(*past.header.notes, new_note))
            other._stand_at(replace(past, header=header, writings=Writings(None), stretch=0))
        return other

    # ------------------------------------------------------------------ inside

    def _make_folder(self, header: Header) -> EpisodeFolder:
        from defiance_zoo.recording.files.writing import EpisodeFolder

        path = self._record.make_folder(HEADER, header.to_json())
        return EpisodeFolder(path, header)

    def _leave(self, folder: EpisodeFolder, writings: Writings) -> None:
        folder.hide()
        self._left.append((folder, writings))


def _finish_all(logs: list[EpisodeLog], left: list[tuple[EpisodeFolder, Writings]]) -> None:
    while logs:
        log = logs.pop()
        if not log.finish("unfinished", "", None):
            log.folder.remove()
    _sweep(left, closed=True)


def _sweep(left: list[tuple[EpisodeFolder, Writings]], *, closed: bool) -> None:
    for each in list(left):
        folder, writings = each
        if closed or not (writings.has_copies and writings.folder is folder):
            folder.remove()
            left.remove(each)
