# SPDX-License-Identifier: GPL-2.0-only
"""The common part of all explorers."""

from __future__ import annotations

import abc
import gzip
import json
import random
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from defiance_zoo.bridge.system.reading import naming, parse_json, read_bytes, unzip
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.workbench.wording import locating
from defiance_zoo.protocols.explorers.situation import (
    Situation,
    read_situation,
    require_explorable,
)
from defiance_zoo.protocols.explorers.value_tables import read_number


class Explorable(Protocol):
    """The methods of a Gymnasium environment that explorers need."""

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""

    def step(self, action: Any, /) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Act."""


@dataclass(frozen=True)
class Visit:
    """A reached state.

    Attributes:
        info: Info of the state.
        step: Number of simulated steps, this one included.
        episode: Number of the episode, from 0 on.
        action: Action that led to the state; None at the start of an episode, or at a snapshot.
        ended: Whether the episode is over.
        seed: Seed of the episode.
        prefix: At a snapshot: the actions that had led to it.
    """

    info: dict[str, Any]
    step: int
    episode: int
    action: int | None
    ended: bool
    seed: int
    prefix: tuple[int, ...] = ()


class Explorer(abc.ABC):
    """Chooses actions that reach new states.

    It keeps its learned values from episode to episode, and can write them into a file.

    Attributes:
        name: Name of the kind in comparisons.
        random: Source of its random numbers.
    """

    name: ClassVar[str]

    def __init__(self, seed: int = 0) -> None:
        """Begin without learned values.

        Args:
            seed: Seed of random choices.
        """
        self.random = random.Random(seed)

    def begin(self, situation: Situation) -> None:
        """Process the beginning of an episode.

        Raises:
            ParameterError: The environment lacks infos for this explorer.
        """

    @abc.abstractmethod
    def choose(self, situation: Situation) -> int:
        """Return the position of an action in `situation.actions`, which is not empty."""

    def learn(
        self, situation: Situation, position: int, after: Situation, terminated: bool
    ) -> None:
        """Process a step.

        Args:
            situation: Situation before the step.
            position: Position of the taken action.
            after: The next state.
            terminated: Whether the state is final; a truncated episode could continue.
        """

    def finish(self) -> None:
        """Process the end of an episode."""

    def explore(
        self, env: Explorable, *, steps: int, seed: int = 0, episodes: int | None = None
    ) -> Generator[Visit, None, None]:
        """Play episodes, and yield each reached state; the last episode may be incomplete.

        Args:
            env: Environment with hashes of states and masks of actions.
            steps: Number of simulated steps.
            seed: Seed of the first episode; each episode adds 1.
            episodes: Maximum number of episodes.

        Raises:
            ParameterError: The environment lacks infos for explorers.
        """
        require_explorable(env)
        step = episode = 0
        while step < steps and (episodes is None or episode < episodes):
            _, info = env.reset(seed=seed + episode)
            situation = read_situation(info)
            self.begin(situation)
            yield Visit(info, step, episode, None, False, seed + episode)
            ended = False
            while not ended and step < steps:
                position = self.choose(situation)
                action = situation.actions[position]
                _, _, terminated, truncated, info = env.step(action)
                step, ended = step + 1, terminated or truncated
                after = read_situation(info)
                self.learn(situation, position, after, terminated)
                situation = after
                yield Visit(info, step, episode, action, ended, seed + episode)
            self.finish()
            episode += 1

    def get_state(self) -> dict[str, Any]:
        """Return learned values and the random generator's state, for JSON; between episodes."""
        version, words, gauss = self.random.getstate()
        return {"explorer": self.name, "random": [version, list(words), gauss]}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore the result of `get_state()`.

        Raises:
            ParameterError: The state is of another kind of explorer, or damaged; this explorer is
                unchanged.
        """
        if state.get("explorer") != self.name:
            kind = repr(state.get("explorer"))
            raise ParameterError(f"this is the state of {kind:.100}, not {self.name}")
        before = self.get_state()
        try:
            self._take_over(state)
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            self._take_over(before)
            if isinstance(error, ParameterError):
                raise
            raise ParameterError(
                f"this is not a state of {self.name}: {type(error).__name__}: {error}"
            ) from error

    def _take_over(self, state: Mapping[str, Any]) -> None:
        """Restore a state of this kind of explorer.

        Raises:
            AttributeError, KeyError, OverflowError, TypeError, ValueError: The state is damaged.
        """
        version, words, gauss = state["random"]
        if gauss is not None:
            gauss = read_number(gauss)
        self.random.setstate((version, tuple(words), gauss))

    def save(self, path: Path) -> None:
        """Write the state to a file, completely or not at all."""
        aside = path.with_name(f".{path.name}.incomplete")
        content = json.dumps(self.get_state(), sort_keys=True).encode()
        aside.write_bytes(gzip.compress(content, compresslevel=1, mtime=0))
        aside.replace(path)

    def load(self, path: Path) -> None:
        """Restore the state from a file of `save()`.

        Raises:
            ParameterError: The file cannot be read, or is of another kind of explorer.
        """
        with naming(path, "is not a state of an explorer"):
            state = parse_json(unzip(read_bytes(path)))
            if not isinstance(state, dict):
                raise ValueError("it is not a JSON object")
        with locating(str(path)):
            self.set_state(state)
