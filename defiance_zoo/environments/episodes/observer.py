# SPDX-License-Identifier: GPL-2.0-only
"""The interfaces of observers of episodes: the recorder, watchers, and checks of histories."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any, Literal, Protocol

from defiance_zoo.bridge.simulation import Agent, Launcher, Round, Rounds, Scenario
from defiance_zoo.bridge.system.imports import import_attribute
from defiance_zoo.errors import DependencyMissing

_RECORDING, _PROTOCOLS = "defiance_zoo.recording", "defiance_zoo.protocols"
"""The packages that record and check histories; they are loaded when an episode needs them."""

End = Literal["ended", "unfinished", "failed"]
"""The end of an episode: complete, left before its end, or lost with its simulation."""


class RecordOptions(Protocol):
    """Options of recording: `defiance_zoo.recording.Record`."""

    @property
    def folder(self) -> str | PathLike[str]:
        """The folder."""


class EpisodeObserver(Protocol):
    """The part of the recorder that `Episodes` calls: `defiance_zoo.recording` may be missing."""

    def begin(self, seed: int | None, launcher: Launcher) -> Mapping[str, Any]:
        """Prepare an episode; return further parameters of its simulation."""

    def begun(self) -> None:
        """Note that the simulation was started."""

    def not_begun(self) -> None:
        """Note that the simulation could not be started."""

    @property
    def is_observing(self) -> bool:
        """Whether there is an episode whose end has not been reported."""

    def take(self, received: Round) -> None:
        """Note a round."""

    def decide(self, agent: str, action: Any) -> None:
        """Note or replace the action of an agent of the last round."""

    def answered(self) -> None:
        """Note that the actions are about to be sent to the simulation."""

    def finish(
        self, end: End, failure: str = "", communication: Mapping[str, Any] | None = None
    ) -> None:
        """Note the end of the episode, if one has begun."""

    def close(self) -> None:
        """Note that there will be no further episode."""

    def require_copyable(self) -> None:
        """Raise `SnapshotRefused` if a copy of the simulation cannot be observed."""

    def past(self) -> Any:
        """Return the episode so far, for a later return; None: there is none."""

    def returning(self, past: Any) -> None:
        """Prepare the replacement of the simulation by a copy that was made after `past`."""

    def returned(self, past: Any) -> None:
        """Note that the simulation was replaced."""

    def not_returned(self) -> None:
        """Note that the simulation could not be replaced."""

    def branch(self, agents: Mapping[str, Agent]) -> EpisodeObserver:
        """Return the observer of a copy of the episode, in an environment with these agents."""


MakeObserver = Callable[[Scenario, Rounds, int | None, Mapping[str, Agent]], EpisodeObserver]
"""Makes the observer of an environment from its scenario, kind of rounds, `max_cycles` and agents,
to which new agents are added."""


class RoundWatcher(ABC):
    """Watches the rounds of one environment, such as its pictures; `Episodes` calls its methods."""

    @abstractmethod
    def begin(self) -> None:
        """Take note that an episode begins."""

    @abstractmethod
    def decide(self, agent: str, action: Any) -> None:
        """Take note of the action of an agent of the last round; it may be replaced."""

    @abstractmethod
    def take(self, episodes: Any, received: Round) -> None:
        """Take note of a round.

        Args:
            episodes: The `Episodes` that have taken it.
            received: The round.
        """

    @abstractmethod
    def copy(self) -> RoundWatcher:
        """Return an independent watcher of the same episode."""

    @abstractmethod
    def close(self) -> None:
        """Take note that there will be no further episode."""


class HistoryJudge(Protocol):
    """`defiance_zoo.protocols.histories.judge.HistoryJudge`: the package may be missing."""

    def judge(self, infos: Iterable[Mapping[str, Any]]) -> dict[str, str]:
        """Return lines to add to the infos of a round, by the names of these infos."""

    def copy(self) -> HistoryJudge:
        """Return an independent judge of the same episode."""


def find_judge(parameters: Mapping[str, str]) -> HistoryJudge | None:
    """Return the judge of an episode with these parameters; None if infos cannot have histories.

    Raises:
        DependencyMissing: `defiance_zoo.protocols` was removed.
    """
    if parameters.get("histories") != "true" or "stop_on_violation" not in parameters:
        return None
    judge: HistoryJudge = _load(_PROTOCOLS, "histories.judge:HistoryJudge")()
    return judge


def recorder(record: RecordOptions | str | PathLike[str], render_mode: str | None) -> MakeObserver:
    """Return a function that makes a recorder.

    Args:
        record: A folder, or all options of recording.
        render_mode: Render mode of the environment.

    Raises:
        ParameterError: `record` is neither.
        DependencyMissing: As for `record_to()`.
    """
    make: MakeObserver = _load(_RECORDING, "recorder:make_recorder")(record, render_mode)
    return make


def record_to(folder: str | PathLike[str], **options: Any) -> RecordOptions:
    """Return the options that record to a folder.

    Args:
        folder: The folder.
        **options: Options of `defiance_zoo.recording.Record`.

    Raises:
        DependencyMissing: pyarrow is not installed, or `defiance_zoo.recording` was removed.
    """
    record: RecordOptions = _load(_RECORDING, "folder:Record")(folder, **options)
    return record


def _load(package: str, place: str) -> Any:
    try:
        return import_attribute(f"{package}.{place}")
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        need = "recording needs" if package == _RECORDING else "histories=True needs"
        raise DependencyMissing(f"{need} {package}") from error
