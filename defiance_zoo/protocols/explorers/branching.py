# SPDX-License-Identifier: GPL-2.0-only
"""An explorer that continues from snapshots of new states, without repeating the path."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from defiance_zoo.environments import Snapshot
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers.explorer import (
    Explorer,
    Situation,
    Visit,
    coverage_key,
    read_number,
    read_situation,
    require_explorable,
)
from defiance_zoo.protocols.explorers.q_learning import (
    Holds,
    check_share,
    level,
)

_LEAST, _RATE = 0.1, 0.3
"""Weight of the last try in the mean that estimates a place's promise."""


@dataclass
class _Place:
    """A kept state.

    Attributes:
        path: Actions that led to the state.
        untried: Positions of actions that were not tried in the state.
        promise: Expected number of new colours of a try: at first the number of its steps, then a
            weighted mean over tries.
    """

    snapshot: Snapshot
    info: dict[str, Any]
    seed: int
    path: tuple[int, ...]
    level: int
    promise: float
    untried: list[int] = field(default_factory=list)
    found: int = 0

    @property
    def weight(self) -> float:
        """The weight of the place in the draw of the next one."""
        return float((_LEAST + self.promise) * 2**self.level)


class BranchExplorer(Explorer):
    """Keeps snapshots of states with new colours or predicates, and continues from them at random.

    After Ecoffet et al., First return, then explore (Go-Explore), Nature 2021. A share of starts
    are new episodes, with new seeds. A continued episode keeps its horizon.
    """

    name = "branch"

    def __init__(
        self,
        seed: int = 0,
        *,
        snapshots: int = 24,
        length: int = 10,
        fresh: float = 0.3,
        keep: float = 0.2,
        remember: int = 1_000_000,
        predicates: Sequence[Holds] = (),
    ) -> None:
        """Begin without states.

        Args:
            seed: Seed of its random choices.
            snapshots: Maximum number of snapshots, each a waiting process; at least 1.
            length: Maximum number of steps after a start; at least 1.
            fresh: The share of starts that are new episodes, above 0 to 1.
            keep: The share of states with new colours that are kept, 0 to 1; states in which a
                later predicate holds than ever before are always kept.
            remember: Number of remembered colours, at least 1; the oldest ones are forgotten first.
            predicates: Hierarchy of predicates on infos.

        Raises:
            ParameterError: An argument is out of range.
        """
        super().__init__(seed)
        for name, count in {"snapshots": snapshots, "length": length, "remember": remember}.items():
            if count < 1:
                raise ParameterError(f"{name} must be at least 1, not {count!r}")
        self._most, self._length, self._remember = snapshots, length, remember
        self._fresh, self._keep = check_share("fresh", fresh, zero=False), check_share("keep", keep)
        self._predicates = tuple(predicates)
        self._seen: dict[int, None] = {}
        self._highest = 0
        self._places: list[_Place] = []

    @property
    def kept(self) -> int:
        """Number of snapshots."""
        return len(self._places)

    def begin(self, situation: Situation) -> None:
        level(self._predicates, situation.info)

    def choose(self, situation: Situation) -> int:
        return self.random.randrange(len(situation.actions))

    def explore(
        self, env: Any, *, steps: int, seed: int = 0, episodes: int | None = None
    ) -> Generator[Visit, None, None]:
        """See `Explorer`; starts from snapshots also count as episodes."""
        if not (hasattr(env, "snapshot") and hasattr(env, "restore")):
            raise ParameterError(f"{self.name} needs an environment with snapshot() and restore()")
        require_explorable(env)
        step = episode = fresh = 0
        try:
            while step < steps and (episodes is None or episode < episodes):
                place = self._select()
                if place is None:
                    _, info = env.reset(seed=seed + fresh)
                    begun = Visit(info, step, episode, None, False, seed + fresh)
                    fresh += 1
                else:
                    env.restore(place.snapshot)
                    begun = Visit(place.info, step, episode, None, False, place.seed, place.path)
                yield begun
                self._look(begun.info)
                for visit in self._go_on(env, place, begun, min(self._length, steps - step)):
                    step = visit.step
                    yield visit
                episode += 1
        finally:
            for place in self._places:
                place.snapshot.release()
            self._places = []

    def _select(self) -> _Place | None:
        """Return a place to continue from; None for a new episode."""
        if not self._places or self.random.random() < self._fresh:
            return None
        return self.random.choices(self._places, [each.weight for each in self._places])[0]

    def _go_on(
        self, env: Any, place: _Place | None, begun: Visit, steps: int
    ) -> Generator[Visit, None, None]:
        """Take random steps, and yield the reached states."""
        info, path = begun.info, begun.prefix
        if place is not None:
            place.found = 0
        for number in range(steps):
            situation = read_situation(info)
            position = self._choose_from(situation, place if number == 0 else None)
            action = situation.actions[position]
            _, _, terminated, truncated, info = env.step(action)
            path = (*path, action)
            ended = terminated or truncated
            new, higher = self._look(info)
            if place is not None:
                place.found += new
            if not ended and (higher or (new and self.random.random() < self._keep)):
                self._keep_place(env, info, begun.seed, path)
            step = begun.step + number + 1
            yield Visit(info, step, begun.episode, action, ended, begun.seed)
            if ended:
                break
        if place is not None:
            place.promise += _RATE * (place.found - place.promise)

    def _choose_from(self, situation: Situation, place: _Place | None) -> int:
        if place is None or not place.untried:
            return self.choose(situation)
        return place.untried.pop(self.random.randrange(len(place.untried)))

    def _look(self, info: Mapping[str, Any]) -> tuple[bool, bool]:
        """Return whether colours are new, and whether a later predicate holds than ever before."""
        key = coverage_key(info)
        new = key not in self._seen
        if new:
            self._seen[key] = None
            if len(self._seen) > self._remember:
                del self._seen[next(iter(self._seen))]
        reached = level(self._predicates, info)
        higher = reached > self._highest
        self._highest = max(self._highest, reached)
        return new, higher

    def _keep_place(self, env: Any, info: dict[str, Any], seed: int, path: tuple[int, ...]) -> None:
        """Keep a state; if necessary, drop the least promising one."""
        if len(self._places) >= self._most:
            least = min(range(len(self._places)), key=lambda number: self._places[number].weight)
            self._places.pop(least).snapshot.release()
        untried = list(range(len(read_situation(info).actions)))
        reached = level(self._predicates, info)
        place = _Place(env.snapshot(), info, seed, path, reached, self._length, untried)
        self._places.append(place)

    def get_state(self) -> dict[str, Any]:
        """See `Explorer`; the seen colours. Snapshots are processes, which files cannot hold."""
        return {**super().get_state(), "seen": list(self._seen), "highest": self._highest}

    def _take_over(self, state: Mapping[str, Any]) -> None:
        super()._take_over(state)
        seen, highest = state["seen"], read_number(state["highest"], least=0)
        if not isinstance(seen, list) or any(type(each) is not int for each in seen):
            raise ValueError("seen is not a list of whole numbers")
        self._seen, self._highest = dict.fromkeys(seen), int(highest)
