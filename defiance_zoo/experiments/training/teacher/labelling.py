# SPDX-License-Identifier: GPL-2.0-only
"""Playing an episode, and labelling its decisions."""

from __future__ import annotations

import contextlib
from collections.abc import Container, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from defiance_zoo.bridge.codec.masks import read_mask
from defiance_zoo.environments import EnvironmentSpec, SimulationAECEnv, lookup
from defiance_zoo.experiments.evaluation import (
    Lookahead,
    NamedPolicy,
    Policy,
    Trials,
    open_env,
    play,
)
from defiance_zoo.experiments.training.configuration import RunConfig, Teacher
from defiance_zoo.experiments.training.teacher.labels import EpisodeLabels
from defiance_zoo.experiments.training.trainer import load_policy
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.workers import Job

_LABELS_PER_EVENT = 10
"""The number of labels between two events."""


@dataclass(frozen=True)
class LabelJob:
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
        began = _cpu_s()
        spec = lookup(self.config.env)
        with contextlib.closing(open_env(spec, self.config.parameters)) as env:
            labels = EpisodeLabels()
            for count in self._label(spec, env, labels):
                if count % _LABELS_PER_EVENT == 0:
                    report({"event": "labels", "count": count, "cpu_s": _cpu_s() - began})
            labels.cpu_s = _cpu_s() - began
        return asdict(labels)

    def portable(self) -> Job:
        """See `Job`: labels are made on this machine."""
        return self

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


def _cpu_s() -> float:
    """Return the processor time of this process and of its simulations, in seconds."""
    own = psutil.Process()
    total = 0.0
    for process in (own, *own.children(recursive=True)):
        with contextlib.suppress(psutil.Error):
            total += sum(process.cpu_times()[:4])  # user, system, ended children's
    return total
