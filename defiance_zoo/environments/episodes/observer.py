# SPDX-License-Identifier: GPL-2.0-only
"""The interface of observers of episodes, such as the recorder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from os import PathLike
from typing import Any, Literal, Protocol

from defiance_zoo.bridge.simulation import Agent, Launcher, Round, Rounds, Scenario
from defiance_zoo.bridge.system.imports import import_attribute
from defiance_zoo.errors import DependencyMissing

_RECORDING = "defiance_zoo.recording"
"""The module that records; it is loaded when an episode is to be recorded."""

End = Literal["ended", "unfinished", "failed"]
"""The end of an episode: complete, left before its end, or lost with its simulation."""


class RecordOptions(Protocol):
    """Options of recording; see `defiance_zoo.recording.Record`."""

    @property
    def folder(self) -> str | PathLike[str]:
        """The folder."""


class EpisodeObserver(ABC):
    """Observes the episodes of one environment; `Episodes` calls its methods."""

    @abstractmethod
    def begin(self, seed: int | None, launcher: Launcher) -> Mapping[str, Any]:
        """Take note that an episode is about to be started, with its seed and launcher.

        Args:
            seed: Seed of `reset()`.
            launcher: Launcher of its simulation; seed and parameters are known.

        Returns:
            Further parameters of the simulation.
        """

    @abstractmethod
    def begun(self) -> None:
        """Take note that the simulation has been started."""

    @abstractmethod
    def not_begun(self) -> None:
        """Take note that the simulation could not be started."""

    @property
    @abstractmethod
    def is_observing(self) -> bool:
        """Whether there is an episode whose end has not been reported."""

    @abstractmethod
    def take(self, received: Round) -> None:
        """Take note of a round."""

    @abstractmethod
    def decide(self, agent: str, action: Any) -> None:
        """Take note of the action of an agent of the last round; it may be replaced."""

    @abstractmethod
    def answered(self) -> None:
        """Take note that the actions are about to be sent to the simulation."""

    @abstractmethod
    def finish(
        self, end: End, failure: str = "", communication: Mapping[str, Any] | None = None
    ) -> None:
        """Take note of an end, if an episode has begun.

        Args:
            end: The end.
            failure: Error of its simulation.
            communication: The communication report, if communication was counted.
        """

    @abstractmethod
    def close(self) -> None:
        """Take note that there will be no further episode."""

    # ------------------------------------------------------------------ snapshots

    @abstractmethod
    def require_copyable(self) -> None:
        """Refuse a copy of the simulation that cannot be observed.

        Raises:
            SnapshotRefused: The copy cannot be observed.
        """

    @abstractmethod
    def past(self) -> Any:
        """Return the episode so far, for a later return; None: there is none."""

    @abstractmethod
    def returning(self, past: Any) -> None:
        """Take note that the simulation is about to be replaced by a copy.

        Args:
            past: The episode until the copy was made.
        """

    @abstractmethod
    def returned(self, past: Any) -> None:
        """Take note that the simulation was replaced; see `returning()`."""

    @abstractmethod
    def not_returned(self) -> None:
        """Take note that the simulation could not be replaced."""

    @abstractmethod
    def branch(self, agents: Mapping[str, Agent]) -> EpisodeObserver:
        """Return the observer of a copy of the episode.

        Args:
            agents: All agents of the other environment, by name.
        """


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


class MakeObserver(Protocol):
    """Makes the observer of an environment."""

    def __call__(
        self,
        scenario: Scenario,
        rounds: Rounds,
        max_cycles: int | None,
        agents: Mapping[str, Agent],
    ) -> EpisodeObserver:
        """Make the observer.

        Args:
            scenario: Scenario of the episodes.
            rounds: Whether agents of one instant are asked together.
            max_cycles: Limit of the environment.
            agents: All agents of the environment by name; new agents are added.
        """


def recorder(record: RecordOptions | str | PathLike[str], render_mode: str | None) -> MakeObserver:
    """Return a function that makes a recorder.

    Args:
        record: A folder, or all options of recording.
        render_mode: Render mode of the environment.

    Raises:
        ParameterError: `record` is neither.
        DependencyMissing: As for `record_to()`.
    """
    make: MakeObserver = _of_recording("recorder:make_recorder")(record, render_mode)
    return make


def record_to(folder: str | PathLike[str], **options: Any) -> RecordOptions:
    """Return the options that record to a folder.

    Args:
        folder: The folder.
        **options: Options of `defiance_zoo.recording.Record`.

    Raises:
        DependencyMissing: pyarrow is not installed, or `defiance_zoo.recording` was removed.
    """
    record: RecordOptions = _of_recording("folder:Record")(folder, **options)
    return record


def _of_recording(place: str) -> Any:
    try:
        return import_attribute(f"{_RECORDING}.{place}")
    except ModuleNotFoundError as error:
        if error.name != _RECORDING:
            raise
        raise DependencyMissing(f"recording needs {_RECORDING}") from error
