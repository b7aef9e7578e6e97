# SPDX-License-Identifier: GPL-2.0-only
"""The base of explorers: what they see of a state, and how they play episodes."""

from __future__ import annotations

import abc
import gzip
import hashlib
import json
import math
import random
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Discrete

from defiance_zoo.bridge.codec.masks import MASK
from defiance_zoo.bridge.system.reading import naming, parse_json, read_bytes, unzip
from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.environments.arguments import require_mapping
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.workbench.wording import locating


@dataclass(frozen=True)
class Situation:
    """A state before the choice of an action.

    Attributes:
        keys: The hash of each action. Without hashes, its number, which is equivalent in states
            with equal hashes.
    """

    state: str
    actions: tuple[int, ...]
    keys: tuple[str, ...]
    info: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def only(self, positions: Sequence[int]) -> Situation:
        """Return the situation in which only the actions at these positions are allowed."""
        actions = tuple(self.actions[position] for position in positions)
        return replace(self, actions=actions, keys=tuple(self.keys[each] for each in positions))


def read_situation(info: Mapping[str, Any]) -> Situation:
    """Return the situation of an info.

    Args:
        info: Info with `state_hash` and `action_mask` and, for hashes as keys, `action_hashes`, a
            line for each allowed action.
    """
    try:
        state, mask = info["state_hash"], info[MASK]
    except KeyError as missing:
        raise ParameterError(
            f"explorers need the info {missing}; environments with hashes of states have it, such "
            "as partition_v0 with illegal_actions='refuse'"
        ) from None
    allowed = np.asarray(mask).tolist()  # faster than NumPy's function for few actions
    actions = tuple(number for number, each in enumerate(allowed) if each)
    hash_text = info.get("action_hashes")
    keys = tuple(hash_text.split("\n")) if hash_text else tuple(map(str, actions))
    if len(keys) != len(actions):
        raise ParameterError(f"there are {len(keys)} action_hashes for {len(actions)} actions")
    return Situation(state, actions, keys, info)


def has_replicas(info: Mapping[str, Any]) -> bool:
    """Return whether an info describes the replicas in the slots of actions: `infos="all"`."""
    return {"slots", "partition", "colors"} <= info.keys()


def require_explorable(env: Any) -> None:
    """Refuse actions other than `Discrete(n)` from 0 on, as an action is an index of the mask."""
    space = getattr(env, "action_space", None)
    if space is not None and not (isinstance(space, Discrete) and space.start == 0):
        raise ParameterError(f"explorers need actions of Discrete(n), from 0 on, not {space}")


def coverage_key(info: Mapping[str, Any]) -> int:
    """Return a number for the multiset of all replicas' colours.

    It does not depend on the partition of the network. Equal multisets have equal numbers;
    different ones have equal numbers with probability 2^-64.
    """
    try:
        colors = info["colors"]  # in the order of slots, so equal multisets have equal texts
    except KeyError:
        raise ParameterError("coverage needs the info 'colors': infos='all'") from None
    return int.from_bytes(hashlib.blake2b(colors.encode(), digest_size=8).digest(), "big")


@dataclass(frozen=True)
class Visit:
    """A reached state.

    Attributes:
        step: Number of simulated steps, this one included.
        action: Action that led to the state; None at the start of an episode, or at a snapshot.
        prefix: At a snapshot: the actions that had led to it.
    """

    info: dict[str, Any]
    step: int
    episode: int
    action: int | None
    ended: bool
    seed: int
    prefix: tuple[int, ...] = ()


def read_number(value: Any, least: float = -math.inf) -> Any:
    """Check that a JSON value is a finite number of at least `least`, and return it."""
    if type(value) not in (int, float) or not least <= value < math.inf or value == -math.inf:
        raise ValueError(f"{value!r:.100} is not a finite number, or less than {least:g}")
    return value


class Explorer(abc.ABC):
    """Chooses actions that reach new states.

    It keeps its learned values from episode to episode, and can write them into a file.

    Attributes:
        name: Name of the kind in comparisons.
        random: Source of its random numbers.
    """

    name: ClassVar[str]

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)

    def pick_seed(self, seed: int) -> int:
        """Return the seed of the next episode: by default the proposed, unused seed."""
        return seed

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
        self, env: Any, *, steps: int, seed: int = 0, episodes: int | None = None
    ) -> Generator[Visit, None, None]:
        """Play episodes, and yield each reached state; the last episode may be incomplete.

        Args:
            env: A Gymnasium environment with hashes of states and masks of actions.
            steps: Number of simulated steps.
            seed: Proposed seed of the first episode; each episode adds 1. See `pick_seed()`.
            episodes: Maximum number of episodes.

        Raises:
            ParameterError: The environment lacks infos for explorers.
        """
        require_explorable(env)
        step = episode = 0
        while step < steps and (episodes is None or episode < episodes):
            picked = self.pick_seed(seed + episode)
            _, info = env.reset(seed=picked)
            situation = read_situation(info)
            self.begin(situation)
            yield Visit(info, step, episode, None, False, picked)
            ended = False
            while not ended and step < steps:
                position = self.choose(situation)
                action = situation.actions[position]
                _, _, terminated, truncated, info = env.step(action)
                step, ended = step + 1, terminated or truncated
                after = read_situation(info)
                self.learn(situation, position, after, terminated)
                situation = after
                yield Visit(info, step, episode, action, ended, picked)
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
        state = require_mapping("state", state)
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
        """Restore a state of this kind of explorer."""
        version, words, gauss = state["random"]
        if gauss is not None:
            gauss = read_number(gauss)
        self.random.setstate((version, tuple(words), gauss))

    def save(self, path: Path) -> None:
        """Write the state to a file, completely or not at all."""
        content = json.dumps(self.get_state(), sort_keys=True).encode()
        write_whole(path, gzip.compress(content, compresslevel=1, mtime=0))

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


class Random(Explorer):
    """Chooses uniformly among the allowed actions."""

    name = "random"

    def choose(self, situation: Situation) -> int:
        return self.random.randrange(len(situation.actions))
