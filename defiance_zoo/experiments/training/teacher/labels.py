# SPDX-License-Identifier: GPL-2.0-only
"""Labels: decisions with the actions that a teacher tried, and their collection.

Finished episodes are kept.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import shutil
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces.utils import flatdim, flatten
from numpy.typing import NDArray

from defiance_zoo.bridge.codec.masks import Mask, read_mask
from defiance_zoo.bridge.system.reading import naming
from defiance_zoo.bridge.system.resources import processor_time_s
from defiance_zoo.environments import EnvironmentSpec, SimulationAECEnv, lookup
from defiance_zoo.errors import LabellingFailed
from defiance_zoo.experiments.evaluation import (
    Lookahead,
    NamedPolicy,
    Policy,
    Spaces,
    Trials,
    open_env,
    play,
)
from defiance_zoo.experiments.training.configuration import RunConfig, Teacher
from defiance_zoo.experiments.training.trainer import load_policy
from defiance_zoo.experiments.workbench.events import Event, EventCallback
from defiance_zoo.experiments.workbench.keys import cell_key
from defiance_zoo.experiments.workbench.results_folder import (
    Record,
    ResultsFolder,
    is_finished,
    read_record,
)
from defiance_zoo.experiments.workbench.runner import CellRunner
from defiance_zoo.experiments.workbench.workers import Job, Workers

_NEGLIGIBLE = 0.05
"""Discount below which rewards after leaving an episode are neglected in returns."""


@dataclass
class EpisodeLabels:
    """The record of an episode for JSON; each list has an entry for each decision.

    Attributes:
        agents: Names of the deciding agents.
        observations: Lists of one observation, from `to_jsonable()` of the agent's space.
        masks: Action masks; None without one.
        rewards: The agent's rewards until its next decision or its end.
        tried: Tried actions from `to_jsonable()`; None for a decision without a label.
        values: Values of the tried actions; None for a decision without a label.
        whole: Whether the episode was played to its end.
        cpu_s: Processor time, simulations included, in seconds.
    """

    agents: list[str] = field(default_factory=list)
    observations: list[Any] = field(default_factory=list)
    masks: list[list[bool] | None] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    tried: list[Any] = field(default_factory=list)
    values: list[list[float] | None] = field(default_factory=list)
    whole: bool = True
    cpu_s: float = 0.0

    def add(
        self, agent: str, observation: Any, mask: Mask | None, trials: Trials | None, spaces: Spaces
    ) -> None:
        """Add a decision whose reward is still unknown."""
        observed, acted = spaces
        self.agents.append(agent)
        self.observations.append(observed.to_jsonable([observation]))
        self.masks.append(None if mask is None else mask.tolist())
        self.rewards.append(0.0)
        self.tried.append(None if trials is None else acted.to_jsonable(trials.actions))
        self.values.append(None if trials is None else list(map(float, trials.values)))


@dataclass(frozen=True)
class Lesson:
    """An episode with labels, to learn from; see `EpisodeLabels`.

    In round 0, the learner does not play. `trials` has None for a decision without a label.
    """

    round: int
    agents: list[str]
    observations: list[Any]
    masks: list[list[bool] | None]
    rewards: list[float]
    trials: list[Trials | None]
    whole: bool
    cpu_s: float = 0.0

    @classmethod
    def read(cls, number: int, labels: EpisodeLabels, spaces: Spaces) -> Lesson:
        """Return the lesson of a record."""
        observed, acted = spaces
        size = flatdim(observed)
        observations = [observed.from_jsonable(each)[0] for each in labels.observations]
        if any(np.size(np.asarray(flatten(observed, each))) != size for each in observations):
            raise ValueError(f"an observation is not of {observed}")
        trials: list[Trials | None] = []
        for tried, values in zip(labels.tried, labels.values, strict=True):
            actions = [] if values is None else list(acted.from_jsonable(tried))
            if len(actions) != len(values or ()) or not all(map(acted.contains, actions)):
                raise ValueError(f"the actions of a label are not of {acted}")
            trials.append(Trials(actions, values) if values else None)
        parts = labels.agents, observations, labels.masks, labels.rewards, trials
        if len(set(map(len, parts))) > 1:
            raise ValueError("its lists have different lengths")
        return cls(number, *parts, labels.whole, labels.cpu_s)

    @property
    def count(self) -> int:
        """The number of decisions with a label."""
        return sum(each is not None for each in self.trials)

    def keep(self, most: int) -> Lesson:
        """Return the lesson with only the episode's first labels, up to a number."""
        counts = itertools.accumulate(each is not None for each in self.trials)
        kept = [t if n <= most else None for t, n in zip(self.trials, counts, strict=True)]
        return replace(self, trials=kept)

    def rows_of(self, agent: str) -> list[int]:
        """Return the numbers of an agent's decisions."""
        return [row for row, each in enumerate(self.agents) if each == agent]

    def returns(self, gamma: float) -> NDArray[np.float32]:
        """Return the discounted return of each decision, shape (decisions,); NaN where unknown.

        The return is unknown close to the end of an episode that was not played to its end.
        """
        found = np.full(len(self.agents), np.nan, np.float32)
        for agent in dict.fromkeys(self.agents):
            total, missing = 0.0, 0.0 if self.whole else 1.0
            for row in reversed(self.rows_of(agent)):
                total = self.rewards[row] + gamma * total
                missing *= gamma
                if missing < _NEGLIGIBLE:
                    found[row] = total
        return found


_LABELS_PER_EVENT = 10
"""The number of labels between two events."""


@dataclass(frozen=True)
class LabelJob(Job):
    """Plays an episode, and labels some of its decisions.

    If the teacher plays, it labels the first decisions of an episode, and then leaves the episode.
        If another policy plays, the whole episode is played twice: first to count its decisions,
        then to label some, drawn at random.
    """

    config: RunConfig
    seed: int
    most: int
    learner: Path | None = None
    trust: bool = False

    def run(self, report: EventCallback) -> dict[str, Any]:
        """See `Job`; the event `labels` has the number of labels and their cost."""
        began = processor_time_s()
        spec = lookup(self.config.env)
        with contextlib.closing(open_env(spec, self.config.parameters)) as env:
            labels = EpisodeLabels()
            for count in self._label(spec, env, labels):
                if count % _LABELS_PER_EVENT == 0:
                    report({"event": "labels", "count": count, "cpu_s": processor_time_s() - began})
            labels.cpu_s = processor_time_s() - began
        return asdict(labels)

    # ------------------------------------------------------------------ inside

    def _label(
        self, spec: EnvironmentSpec, env: SimulationAECEnv, labels: EpisodeLabels
    ) -> Iterator[int]:
        """Play the episode, add its decisions, and yield the number of labels after each."""
        chosen = self._choose(spec, env)
        driver = self._driver(spec, env)
        teacher = self._teacher.named.make(spec, env, self.seed)
        last: dict[str, int] = {}
        count = 0
        env.reset(seed=self.seed)
        while env.agents:
            agent = env.agent_selection
            observation, reward, terminated, truncated, info = env.last()
            if agent in last:
                labels.rewards[last[agent]] = float(reward)
            if terminated or truncated:
                env.step(None)
                continue
            number = len(labels.agents)
            if driver is None and number == self.most:
                labels.whole = False
                return
            trials = _weigh(teacher, agent, observation, info, needed=number in chosen)
            action = driver.act(agent, observation, info) if driver else _best(trials)
            spaces = env.observation_space(agent), env.action_space(agent)
            mask = read_mask(agent, spaces[1], observation, info)
            labels.add(agent, observation, mask, trials if number in chosen else None, spaces)
            if isinstance(teacher, Lookahead):
                teacher.note(agent, action)
            last[agent] = number
            if number in chosen:
                count += 1
                yield count
            env.step(action)

    def _choose(self, spec: EnvironmentSpec, env: SimulationAECEnv) -> Container[int]:
        """Return the numbers of the decisions to label."""
        driver = self._driver(spec, env)
        if driver is None:
            return range(self.most)
        (played,) = play(env, driver, episodes=1, seed=self.seed)
        generator = np.random.default_rng(self.seed)
        size = min(self.most, played.decisions)
        return set(generator.choice(played.decisions, size, replace=False).tolist())

    def _driver(self, spec: EnvironmentSpec, env: SimulationAECEnv) -> Policy | None:
        """Return the playing policy at the beginning of an episode; None for the teacher."""
        if self.learner is not None:
            return load_policy(self.config, self.learner, trust=self.trust)
        name = self._teacher.driver
        return None if name is None else NamedPolicy(name).make(spec, env, self.seed)

    @property
    def _teacher(self) -> Teacher:
        assert self.config.teacher is not None
        return self.config.teacher


def _weigh(
    teacher: Policy, agent: str, observation: Any, info: dict[str, Any], *, needed: bool
) -> Trials | None:
    """Return the actions that a teacher tries: one, with the value 0, except for lookahead."""
    if isinstance(teacher, Lookahead):
        return teacher.weigh(agent, observation, info) if needed else None
    return Trials([teacher.act(agent, observation, info)], [0.0])


def _best(trials: Trials | None) -> Any:
    assert trials is not None  # the teacher plays, and labels each decision
    return trials.best


class LabelsFolder(ResultsFolder):
    """A folder of labels; several runs may use it, one after the other."""

    kind: ClassVar[str] = "set of labels"
    described_by: ClassVar[str] = "labels.yaml"
    folders: ClassVar[tuple[str, ...]] = ("cells",)
    results: ClassVar[type] = EpisodeLabels

    @property
    def learner(self) -> Path:
        """The folder of the learner while it plays a round."""
        return self.path / "learner"

    def remove_learner(self) -> None:
        """Delete the learner's files, which a killed process may have left."""
        shutil.rmtree(self.learner, ignore_errors=True)


@dataclass(frozen=True)
class LabelCell:
    """An episode with labels."""

    key: str
    round: int
    seed: int

    @property
    def place(self) -> Mapping[str, Any]:
        return {"round": self.round, "seed": self.seed}


@dataclass(frozen=True)
class Player:
    """The policy that plays a round; it has no `learner` in the first round."""

    learner: Path | None
    facts: Mapping[str, Any]


class Collection:
    """Collects the labels of a run, round by round.

    Labels depend only on the run, not on the number of workers or on finished episodes.
    """

    def __init__(
        self,
        folder: LabelsFolder,
        config: RunConfig,
        teacher: Teacher,
        spaces: Spaces,
        report: EventCallback,
        *,
        trust: bool,
    ) -> None:
        self._folder, self._config, self._teacher, self._trust = folder, config, teacher, trust
        self._runner: CellRunner[LabelCell] = CellRunner(folder, self._report_labels)
        self._spaces, self._report = spaces, report
        self._made: dict[int, tuple[int, float]] = {}
        self.keys: list[str] = []

    def collect(self, workers: Workers, number: int, wanted: int, player: Player) -> list[Lesson]:
        """Return the episodes of a round, which together have the wanted number of labels."""
        most = largest = math.ceil(wanted / self._teacher.episodes)
        lessons: list[Lesson] = []
        missing = wanted
        while missing:
            count = math.ceil(missing / largest)
            cells = [self._next_cell(number, most, player) for _ in range(count)]
            found = self._label(workers, cells, most, player)
            largest = max(each.count for each in found)
            if not largest:
                raise LabellingFailed(
                    f"no agent decided in {len(cells)} episodes from seed {cells[0].seed} on, so "
                    "there is nothing to label; are delays longer than the episode?"
                )
            for each in found:
                kept = each.keep(missing)
                missing -= kept.count
                lessons.append(kept)
        return lessons

    # ------------------------------------------------------------------ inside

    def _next_cell(self, number: int, most: int, player: Player) -> LabelCell:
        spec, config = lookup(self._config.env), self._config
        seed = self._teacher.seed + len(self.keys)
        teacher = self._teacher.named.facts(spec)
        facts = {"teacher": teacher, "player": player.facts, "seed": seed, "most": most}
        self.keys.append(cell_key(facts, spec.scenario, config.parameters))
        return LabelCell(self.keys[-1], number, seed)

    def _label(
        self, workers: Workers, cells: Sequence[LabelCell], most: int, player: Player
    ) -> list[Lesson]:
        """Label the episodes that have no labels; return all episodes."""
        path = self._folder.path
        known = [cell for cell in cells if is_finished(path, cell)]
        for cell in known:
            lesson = read_lesson(path, cell, self._spaces)
            self._made[cell.seed] = lesson.count, lesson.cpu_s

        def job(cell: LabelCell) -> LabelJob:
            return LabelJob(self._config, cell.seed, most, player.learner, self._trust)

        def describe(_cell: LabelCell, record: Record) -> Event:
            count = sum(each is not None for each in record["values"])
            return {"count": count, "cpu_s": record["cpu_s"]}

        self._runner.run(workers, [each for each in cells if each not in known], job, describe)
        return [read_lesson(path, cell, self._spaces) for cell in cells]

    def _report_labels(self, event: Event) -> None:
        """Report the number of labels and, with the first labels, the estimated cost."""
        if "count" not in event:
            return
        first = not self._made
        self._made[event["cell"]["seed"]] = event["count"], event["cpu_s"]
        made = sum(count for count, _ in self._made.values())
        if not made:
            return
        each_s = sum(cpu_s for _, cpu_s in self._made.values()) / made
        wanted = self._teacher.labels
        if first:
            cost = {"labels": wanted, "cpu_s_per_label": each_s, "cpu_s": each_s * wanted}
            self._report({"event": "label_budget", **cost})
        left_s = each_s * max(0, wanted - made)
        self._report({"event": "labels", "made": made, "labels": wanted, "cpu_s_left": left_s})


def read_lesson(folder: Path, cell: LabelCell, spaces: Spaces) -> Lesson:
    """Return the episode of a cell."""
    record = read_record(folder, cell, EpisodeLabels) or {}
    if "error" in record:
        raise LabellingFailed(
            f"the episode with seed {cell.seed} could not be labelled: "
            f"{record['error']}: {record['message']}"
        )
    path = folder / "cells" / f"{cell.key}.json"
    damage = "is damaged; delete it to label its episode again"
    with naming(path, damage, also=(ArithmeticError, AssertionError, LookupError, TypeError)):
        return Lesson.read(cell.round, EpisodeLabels(**record), spaces)
