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
    """A Gymnasium environment, as far as it is explored here."""

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""

    def step(self, action: Any, /) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Act."""


@dataclass(frozen=True)
class Visit:
    """A state that was reached.

    Attributes:
        info: The info there.
        step: How many steps have been simulated, this one included.
        episode: Number of the episode, from 0 on.
        action: That led to it; None where an episode begins, or is begun again in the middle.
        ended: Whether the episode is over.
        seed: Seed of the episode.
        prefix: Where one is begun again: the actions that had led there.
    """

    info: dict[str, Any]
    step: int
    episode: int
    action: int | None
    ended: bool
    seed: int
    prefix: tuple[int, ...] = ()


class Explorer(abc.ABC):
    """Chooses actions, to reach states that nobody has seen.

    It keeps its learned values from episode to episode, and can write them into a file.

    Attributes:
        name: Name of the kind, as comparisons call it.
        random: Source of its random numbers.
    """

    name: ClassVar[str]

    def __init__(self, seed: int = 0) -> None:
        """Begin with nothing learnt.

        Args:
            seed: Seed of its random choices.
        """
        self.random = random.Random(seed)

    def begin(self, situation: Situation) -> None:
        """Take notice of an episode that begins.

        Raises:
            ParameterError: The environment does not tell what this explorer needs.
        """

    @abc.abstractmethod
    def choose(self, situation: Situation) -> int:
        """Return the position of an action in `situation.actions`, of which there is one."""

    def learn(
        self, situation: Situation, position: int, after: Situation, terminated: bool
    ) -> None:
        """Take notice of a step.

        Args:
            situation: Before it.
            position: Position of the action that was taken.
            after: The next state.
            terminated: Whether nothing can follow; a truncated episode could continue.
        """

    def finish(self) -> None:
        """Take notice of the end of an episode."""

    def explore(
        self, env: Explorable, *, steps: int, seed: int = 0, episodes: int | None = None
    ) -> Generator[Visit, None, None]:
        """Play episodes, and yield each state that is reached; the last episode may be cut.

        Args:
            env: Tells hashes of states and masks of actions.
            steps: Number of simulated steps.
            seed: Seed of the first episode; the next one has the next number.
            episodes: At most so many.

        Raises:
            ParameterError: The environment does not tell what explorers need.
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
        """Take over what `get_state()` returned.

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
                f"this is no state of {self.name}: {type(error).__name__}: {error}"
            ) from error

    def _take_over(self, state: Mapping[str, Any]) -> None:
        """Take over a state of this kind of explorer.

        Raises:
            AttributeError, KeyError, OverflowError, TypeError, ValueError: The state is damaged.
        """
        version, words, gauss = state["random"]
        if gauss is not None:
            gauss = read_number(gauss)
        self.random.setstate((version, tuple(words), gauss))

    def save(self, path: Path) -> None:
        """Write the state into a file, which is whole or not there."""
        aside = path.with_name(f".{path.name}.incomplete")
        content = json.dumps(self.get_state(), sort_keys=True).encode()
        aside.write_bytes(gzip.compress(content, compresslevel=1, mtime=0))
        aside.replace(path)

    def load(self, path: Path) -> None:
        """Take over what `save()` wrote.

        Raises:
            ParameterError: It cannot be read, or is of another kind of explorer.
        """
        with naming(path, "is no state of an explorer"):
            state = parse_json(unzip(read_bytes(path)))
            if not isinstance(state, dict):
                raise ValueError("it is no object of JSON")
        with locating(str(path)):
            self.set_state(state)
