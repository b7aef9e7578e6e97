# SPDX-License-Identifier: GPL-2.0-only
"""Episodes that are recorded, and the choice whether they are."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping
from os import PathLike
from typing import Any

from defiance_zoo.codec import Buffer
from defiance_zoo.environments.episodes.episodes import Episodes, Options
from defiance_zoo.environments.episodes.snapshot_point import SnapshotPoint
from defiance_zoo.errors import ParameterError, RecordingNotWritten, SimulationError
from defiance_zoo.recording.facts import Outcome
from defiance_zoo.recording.folder import Record, as_record
from defiance_zoo.recording.recorder import EpisodeRecorder
from defiance_zoo.simulation import (
    Fragment,
    FrozenSimulation,
    LaunchSettings,
    Round,
    Rounds,
    Scenario,
)
from defiance_zoo.system.plain_values import plain_seed, plain_value

_OF_RECORDINGS = frozenset({"_recorder", "_is_attached"})
"""Attributes that `Episodes` lack."""


class RecordedEpisodes(Episodes):
    """Episodes of which each is written to a file when it is over, or left."""

    def __init__(
        self,
        scenario: Scenario,
        parameters: Mapping[str, Any],
        *,
        record: Record,
        rounds: Rounds = "sequential",
        max_cycles: int | None = None,
        settings: LaunchSettings | None = None,
        render_mode: str | None = None,
        **arguments: Any,
    ) -> None:
        """See `Episodes`; `record` says where to.

        Raises:
            ParameterError: The folder cannot be made, or not be written to.
            DependencyMissing: pyarrow is not installed.
        """
        max_cycles = plain_value(max_cycles)
        told = {**scenario.when_recorded, **parameters}
        super().__init__(
            scenario, told, rounds=rounds, max_cycles=max_cycles, settings=settings, **arguments
        )
        self._recorder = EpisodeRecorder(
            record, scenario, rounds, max_cycles, self._agents, render_mode
        )
        # A simulation that is started by hand may be on another machine.
        self._is_attached = settings is not None and settings.launch == "attach"

    @property
    def watches_rounds(self) -> bool:
        """See `Episodes.watches_rounds`; each round is noted."""
        return True

    def launch(self, seed: int | None, options: Options | None) -> None:
        """See `Episodes.launch`."""
        self.slot.require_open()
        self._finish_unfinished()
        self.slot.clear()  # whatever fails from here on, that episode is over
        self.progress.clear()
        seed = plain_seed(seed)
        launcher = self.slot.launcher

        def begin() -> Mapping[str, Any]:
            assert launcher.rng is not None  # it is known when the launcher calls this
            further, files = self._recorder.begin(seed, launcher.rng, launcher.in_effect())
            launcher.files = None if self._is_attached else files
            return {} if self._is_attached else further

        launcher.before_start = begin
        try:
            super().launch(seed, options)
        except BaseException:
            self._recorder.forget()
            raise
        finally:
            launcher.before_start = dict  # a cycle of references would outlive this object
        self._recorder.sweep()

    def decide(self, agent: str, action: Any) -> None:
        """See `Episodes.decide`."""
        super().decide(agent, action)
        self._recorder.decide(agent, action)

    def advance(self) -> Round:
        """See `Episodes.advance`."""
        self._recorder.answered()
        return super().advance()

    def submit(self, actions: list[Buffer]) -> None:
        """See `Episodes.submit`."""
        self.slot.require()
        buffers = iter(actions)
        for group in self.progress.groups:
            for agent, action in zip(group.names, group.read_actions(buffers), strict=True):
                self._recorder.decide(agent, action)
        self._recorder.answered()
        super().submit(actions)

    def submit_fragment(self, fragment: Fragment) -> None:
        """Refuse what `Episodes.submit_fragment` does.

        Raises:
            ParameterError: Always: trajectories have no infos, which a recording is to have.
        """
        raise ParameterError(
            "no policy plays inside simulations that are recorded, because what it has played is "
            "told without infos: leave out record=, or have Python decide"
        )

    def freeze(self) -> tuple[FrozenSimulation, SnapshotPoint]:
        """See `Episodes.freeze`."""
        self._recorder.require_no_capture()
        return super().freeze()

    def restore(self, frozen: FrozenSimulation, point: SnapshotPoint) -> None:
        """See `Episodes.restore`."""
        self.slot.require_restorable(frozen)
        self._recorder.keep_from(point.past)
        try:
            super().restore(frozen, point)
        except BaseException:
            self._recorder.give_up()
            raise
        if point.past is not None:
            self._recorder.stand_at(point.past)

    def branch(self, *, record: bool = True) -> Episodes:
        """See `Episodes.branch`."""
        self._recorder.require_no_capture()
        other = super().branch()
        assert isinstance(other, RecordedEpisodes)
        if not record:
            return other._unrecorded()
        other._recorder = self._recorder.branch(other._agents)
        return other

    def leave(self) -> None:
        """See `Episodes.leave`; the episode is written as it is."""
        try:
            self._finish_unfinished()
        finally:
            super().leave()

    def close(self) -> None:
        """See `Episodes.close`; an episode that is not over is written as it is."""
        try:
            self._finish_unfinished()
        finally:
            super().close()
            self._recorder.sweep(closed=True)

    def _unrecorded(self) -> Episodes:
        """Return episodes that stand here, with this simulation, and that nobody records."""
        kept = {name: value for name, value in vars(self).items() if name not in _OF_RECORDINGS}
        other = Episodes.__new__(Episodes)
        vars(other).update(kept)
        return other

    def _take(self, received: Round) -> Round:
        taken = super()._take(received)
        self._recorder.take(taken)
        if taken.over:
            self._recorder.finish("ended", communication=self._report())
        return taken

    def _point(self) -> SnapshotPoint:
        return super()._point()._replace(past=self._recorder.past())

    def _break_off(self) -> None:
        error = sys.exc_info()[1]
        try:
            super()._break_off()
        finally:
            # Others than exceptions are those of a user who interrupts.
            failed = isinstance(error, Exception)
            outcome: Outcome = "failed" if failed else "unfinished"
            with contextlib.suppress(RecordingNotWritten):  # the error says why it ends here
                self._recorder.finish(outcome, str(error) if failed else "", self._report())

    def _finish_unfinished(self) -> None:
        """Write an episode that goes on no further, with what was sent so far."""
        if self._recorder.is_recording:
            if self.slot.launcher.counts_communication:
                with contextlib.suppress(SimulationError):
                    self.communication.ask(self.slot.simulation)
            self._recorder.finish("unfinished", communication=self._report())

    def _report(self) -> dict[str, Any] | None:
        report = self.communication.report
        return report.to_dict() if report is not None else None


def open_episodes(
    scenario: Scenario,
    parameters: Mapping[str, Any],
    *,
    record: Record | str | PathLike[str] | None = None,
    render_mode: str | None = None,
    **arguments: Any,
) -> Episodes:
    """Return episodes, which are recorded if `record` says where to; see `Episodes`.

    Args:
        scenario: What to simulate.
        parameters: Of the scenario.
        record: A folder, or how to record in full; None: nothing is recorded.
        render_mode: Of the environment, for the recording.
        **arguments: Others of `Episodes`.

    Raises:
        ScenarioNotFound: The program is missing.
        ParameterError: A parameter or setting is not allowed, or the folder cannot be written to.
        DependencyMissing: pyarrow is not installed, which recordings need.
    """
    if record is None:
        return Episodes(scenario, parameters, **arguments)
    return RecordedEpisodes(
        scenario, parameters, record=as_record(record), render_mode=render_mode, **arguments
    )
