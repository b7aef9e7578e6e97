# SPDX-License-Identifier: GPL-2.0-only
"""Jobs of workers, which can be pickled: train a run, or play a cell; and the folder of a study."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from defiance_zoo.environments import EnvironmentSpec, SimulationAECEnv, lookup
from defiance_zoo.environments.episodes.observer import RecordOptions
from defiance_zoo.experiments.evaluation import (
    DividedPolicy,
    NamedPolicy,
    Policy,
    Spaces,
    divide_agents,
    find_divisions,
    open_env,
    play,
    spaces_of,
)
from defiance_zoo.experiments.study.cells import Training
from defiance_zoo.experiments.study.measures import InfoMeasure, measure, watched
from defiance_zoo.experiments.training import RunConfig
from defiance_zoo.experiments.training.checkpoints import TRAINER, read_checkpoint
from defiance_zoo.experiments.training.run import complete, is_complete
from defiance_zoo.experiments.training.trainer import (
    SavedPolicy,
    damaged,
    trained_spaces,
    trainer_class,
)
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.results_folder import ResultsFolder
from defiance_zoo.experiments.workbench.workers import Job


@dataclass(frozen=True)
class TrainingJob(Job):
    """Trains a run to its end, from its last checkpoint if there is one."""

    config: RunConfig
    folder: Path
    trust: bool = False

    @property
    def done(self) -> bool:
        """Whether the run has ended."""
        return is_complete(self.folder)

    def run(self, report: EventCallback) -> dict[str, Any]:
        complete(self.config, self.folder, trust=self.trust, report=report)
        return {}


@dataclass(frozen=True)
class CellJob(Job):
    """Plays the episodes of a cell."""

    env: str
    arguments: dict[str, Any]
    episodes: int
    seed: int
    player: SavedPolicy | NamedPolicy
    measures: Mapping[str, InfoMeasure] = field(default_factory=dict)
    record: RecordOptions | None = None

    def run(self, report: EventCallback) -> dict[str, Any]:
        spec = lookup(self.env)
        observed = {"communication_infos": spec.scenario.describes_itself, "record": self.record}
        with contextlib.closing(open_env(spec, {**self.arguments, **observed})) as env:
            agents = spaces_of(env)
            units = count_units(spec, agents)
            policy = self._policy(spec, env, agents)
            watch = watched(self.measures)
            played = list(play(env, policy, episodes=self.episodes, seed=self.seed, watch=watch))
        return {
            "episodes": [measure(episode, units, self.measures) for episode in played],
            "wall_time_s": [episode.wall_time_s for episode in played],
        }

    def portable(self) -> Job:
        if isinstance(self.player, NamedPolicy):
            return self
        return replace(self, player=self.player.packed())

    def _policy(
        self, spec: EnvironmentSpec, env: SimulationAECEnv, agents: dict[str, Spaces]
    ) -> Policy:
        if isinstance(self.player, NamedPolicy):
            return self.player.make(spec, env, self.seed)
        policy, trained = _load(self.player)
        return DividedPolicy(policy, find_divisions(spec, agents, trained))


def count_units(spec: EnvironmentSpec, agents: Mapping[str, Spaces]) -> dict[str, int]:
    """Return the number of units of each agent that has several."""
    return {name: len(each.agents) for name, each in divide_agents(spec, agents).items()}


@functools.lru_cache(maxsize=4)
def _load(saved: SavedPolicy) -> tuple[Policy, list[Spaces]]:
    """Return a policy and its spaces, which are cached for further cells."""
    with saved.open() as copy, damaged(saved.folder / TRAINER):
        found = read_checkpoint(copy)
        policy = trainer_class(found.config.library).load_policy(found.config, found.trainer)
    return policy, trained_spaces(found.config, policy)


@dataclass
class Episodes:
    """The record of a finished cell of a study."""

    episodes: list[dict[str, float | None]]
    wall_time_s: list[float]


class StudyFolder(ResultsFolder):
    """A study's folder; see `ResultsFolder`."""

    kind: ClassVar[str] = "study"
    described_by: ClassVar[str] = "study.yaml"
    folders: ClassVar[tuple[str, ...]] = ("cells", "plots", "trainings")
    results: ClassVar[type] = Episodes


def training_job(folder: Path, training: Training, *, trust: bool = False) -> TrainingJob:
    """Return the job that trains a run in a study's folder, which need not exist."""
    return TrainingJob(training.config, folder / "trainings" / training.key, trust)
