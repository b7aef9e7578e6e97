# SPDX-License-Identifier: GPL-2.0-only
"""Episodes that are recorded, and the choice whether they are."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from os import PathLike
from typing import Any

from defiance_zoo.environments.episodes.episodes import Episodes, Options
from defiance_zoo.environments.episodes.snapshot_point import SnapshotPoint
from defiance_zoo.recording.folder import Record, as_record
from defiance_zoo.recording.recorder import EpisodeRecorder
from defiance_zoo.simulation import FrozenSimulation, Round, Rounds, Scenario


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
        **arguments: Any,
    ) -> None:
        """See `Episodes`; `record` says where to.

        Raises:
            ParameterError: The folder cannot be made, or not be written to.
        """
        told = {**scenario.when_recorded, **parameters}
        super().__init__(scenario, told, rounds=rounds, max_cycles=max_cycles, **arguments)
        self._recorder = EpisodeRecorder(record, scenario, rounds, max_cycles)
        self._recorder.require_capture(self.slot.launcher.declared)

    def launch(self, seed: int | None, options: Options | None) -> None:
        """See `Episodes.launch`."""
        self.slot.require_open()
        super().launch(seed, {**(options or {}), **self._recorder.changes()})
        launcher = self.slot.launcher
        assert launcher.rng is not None  # an episode was begun
        self._recorder.begin(seed, launcher.rng, launcher.in_effect())

    def decide(self, agent: str, action: Any) -> None:
        """See `Episodes.decide`."""
        super().decide(agent, action)
        self._recorder.decide(agent, action)

    def freeze(self) -> tuple[FrozenSimulation, SnapshotPoint]:
        """See `Episodes.freeze`."""
        self._recorder.require_no_capture()
        return super().freeze()

    def branch(self) -> RecordedEpisodes:
        """See `Episodes.branch`."""
        self._recorder.require_no_capture()
        other = super().branch()
        assert isinstance(other, RecordedEpisodes)
        other._recorder = self._recorder.branch()
        other._recorder.stand_at(self._recorder.past())
        return other

    def close(self) -> None:
        """See `Episodes.close`; an episode that is not over is written as it is."""
        self._recorder.leave()
        super().close()

    def _take(self, received: Round) -> Round:
        taken = super()._take(received)
        self._recorder.take(taken)
        return taken

    def _point(self) -> SnapshotPoint:
        return super()._point()._replace(past=self._recorder.past())

    def _stand_at(self, point: SnapshotPoint) -> None:
        super()._stand_at(point)
        if point.past is not None:
            self._recorder.stand_at(point.past)

    def _break_off(self) -> None:
        self._recorder.fail(sys.exc_info()[1])
        super()._break_off()


def open_episodes(
    scenario: Scenario,
    parameters: Mapping[str, Any],
    *,
    record: Record | str | PathLike[str] | None = None,
    **arguments: Any,
) -> Episodes:
    """Return episodes, which are recorded if `record` says where to; see `Episodes`.

    Raises:
        ScenarioNotFound: The program is missing.
        ParameterError: A parameter or setting is not allowed, or the folder cannot be written to.
    """
    if record is None:
        return Episodes(scenario, parameters, **arguments)
    return RecordedEpisodes(scenario, parameters, record=as_record(record), **arguments)
