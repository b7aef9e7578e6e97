# SPDX-License-Identifier: GPL-2.0-only
"""Labels: decisions of an episode, with the actions that a teacher tried and their values."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from gymnasium.spaces.utils import flatdim, flatten
from numpy.typing import NDArray

from defiance_zoo.bridge.codec.masks import Mask
from defiance_zoo.experiments.evaluation import Spaces, Trials

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
