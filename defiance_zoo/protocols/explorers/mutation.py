# SPDX-License-Identifier: GPL-2.0-only
"""An explorer that changes the schedules of episodes with new states."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from defiance_zoo.envs.partition.actions import Meaning, find_action, find_actions, meaning_of
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers.explorer import (
    Explorer,
    Situation,
    coverage_key,
    has_replicas,
    read_number,
)
from defiance_zoo.protocols.explorers.q_learning import check_share

Intent = Meaning | str | None
"""The meaning of an action; without infos about replicas, its key. None: a random action."""

_LEAST, _RATE = 0.1, 0.3
"""Least weight of a schedule, and weight of the last try in the mean of its energy."""
_CHANGES = ("swap", "repeat", "insert", "delete", "splice", "crash")
_LONGEST = 4  # steps that one change repeats, deletes, or leaves between a stop and a start


@dataclass
class _Test:
    """A kept episode.

    Attributes:
        seed: Seed of the episode; None if the loop did not ask for it.
        energy: Expected number of new states of a mutant: at first the number of new states of the
            episode, then a weighted mean over mutants.
    """

    seed: int | None
    schedule: list[Intent]
    energy: float


class Mutation(Explorer):
    """Changes the schedules of episodes that have reached new states, and plays them again.

    After Gulcan et al., Model-guided fuzzing of distributed systems (ModelFuzz), 2023; the changes
    are in docs/protocols/exploration.md. Where an action is not allowed, and after the end of a
    schedule, actions are random.
    """

    name = "mutation"

    def __init__(self, seed: int = 0, *, fresh: float = 0.3, corpus: int = 500) -> None:
        """Begin without schedules.

        Args:
            seed: Seed of random choices.
            fresh: The share of random episodes, above 0 to 1.
            corpus: Maximum number of kept schedules, at least 1; those with the least energy are
                dropped first.

        Raises:
            ParameterError: An argument is out of range.
        """
        super().__init__(seed)
        if corpus < 1:
            raise ParameterError(f"corpus must be at least 1, not {corpus!r}")
        self._fresh, self._most = check_share("fresh", fresh, zero=False), corpus
        self._seen: dict[int | str, None] = {}
        self._tests: list[_Test] = []
        self._parent: _Test | None = None
        self._seed: int | None = None
        self._is_picked = False
        self._plan: list[Intent] = []
        self._played: list[Intent] = []
        self._found = 0

    def pick_seed(self, seed: int) -> int:
        """See `Explorer`; the seed of the schedule that is changed."""
        self._parent, self._is_picked = None, True
        known = [test for test in self._tests if test.seed is not None]
        if known and self.random.random() >= self._fresh:
            self._parent = self._draw(known)
        self._seed = seed if self._parent is None else self._parent.seed
        return seed if self._seed is None else self._seed

    def begin(self, situation: Situation) -> None:
        if not self._is_picked:  # the loop determines the seed
            is_fresh = not self._tests or self.random.random() < self._fresh
            self._parent, self._seed = None if is_fresh else self._draw(self._tests), None
        self._is_picked = False
        replicas = len(situation.info["partition"]) if has_replicas(situation.info) else 0
        self._plan = [] if self._parent is None else self._mutate(self._parent.schedule, replicas)
        self._played, self._found = [], int(self._is_new(situation))

    def _draw(self, tests: list[_Test]) -> _Test:
        return self.random.choices(tests, [_LEAST + test.energy for test in tests])[0]

    def choose(self, situation: Situation) -> int:
        step = len(self._played)
        wanted = self._plan[step] if step < len(self._plan) else None
        position = None if wanted is None else _find(wanted, situation)
        return self.random.randrange(len(situation.actions)) if position is None else position

    def learn(
        self, situation: Situation, position: int, after: Situation, terminated: bool
    ) -> None:
        self._played.append(_read_intent(situation, position))
        self._found += self._is_new(after)

    def finish(self) -> None:
        if self._parent is not None:
            self._parent.energy += _RATE * (self._found - self._parent.energy)
        if self._found and self._played:
            self._tests.append(_Test(self._seed, self._played, float(self._found)))
        if len(self._tests) > self._most:
            self._tests.remove(min(self._tests, key=lambda test: test.energy))

    def _is_new(self, situation: Situation) -> bool:
        info = situation.info
        key = coverage_key(info) if "colors" in info else situation.state
        is_new = key not in self._seen
        self._seen[key] = None
        return is_new

    def _mutate(self, schedule: list[Intent], replicas: int) -> list[Intent]:
        """Return a schedule with one to three changes."""
        changed = list(schedule)
        for _ in range(self.random.randint(1, 3)):
            self._change(changed, self.random.choice(_CHANGES), replicas)
        return changed

    def _change(self, plan: list[Intent], change: str, replicas: int) -> None:
        """Change a schedule in place."""
        place, length = self.random.randrange(len(plan) + 1), self.random.randint(1, _LONGEST)
        if change == "swap" and plan:
            one, other = self.random.randrange(len(plan)), self.random.randrange(len(plan))
            plan[one], plan[other] = plan[other], plan[one]
        elif change == "repeat":
            plan[place:place] = plan[place : place + length]
        elif change == "delete":
            del plan[place : place + length]
        elif change == "splice":
            other_plan = self.random.choice(self._tests).schedule
            plan[place:] = other_plan[self.random.randrange(len(other_plan)) :]
        elif change == "crash" and replicas:
            replica = self.random.randint(1, replicas)
            plan.insert(place, Meaning("stop", replica))
            plan.insert(place + length, Meaning("start", replica))
        else:
            plan.insert(place, None)

    def get_state(self) -> dict[str, Any]:
        tests = [[test.seed, test.schedule, test.energy] for test in self._tests]
        plain = json.loads(json.dumps({"seen": list(self._seen), "tests": tests}))
        return {**super().get_state(), **plain}

    def _take_over(self, state: Mapping[str, Any]) -> None:
        super()._take_over(state)
        if not all(type(key) in (int, str) for key in state["seen"]):
            raise ValueError("seen is not a list of whole numbers or hashes")
        tests = [
            _Test(
                None if seed is None else int(read_number(seed, least=0)),
                [_from_plain(each) for each in schedule],
                float(read_number(energy, least=0)),
            )
            for seed, schedule, energy in state["tests"]
        ]
        if not all(test.schedule for test in tests):
            raise ValueError("a schedule has no action")
        self._seen, self._tests = dict.fromkeys(state["seen"]), tests


def _read_intent(situation: Situation, position: int) -> Intent:
    """Return the meaning of an allowed action, or its key."""
    info = situation.info
    if not has_replicas(info):
        return situation.keys[position]
    return meaning_of(find_actions(info)[situation.actions[position]], info)


def _find(wanted: Meaning | str, situation: Situation) -> int | None:
    """Return the position of the action of an intent; None if it is not allowed."""
    info = situation.info
    if isinstance(wanted, str):
        return situation.keys.index(wanted) if wanted in situation.keys else None
    if not has_replicas(info) or max(wanted.replica, len(wanted.blocks)) > len(info["partition"]):
        return None
    number = find_action(wanted, find_actions(info), situation.actions, info)
    return None if number is None else situation.actions.index(number)


def _from_plain(value: Any) -> Intent:
    """Return an intent from JSON."""
    if isinstance(value, str):
        return value
    kind, replica, blocks = value
    if not isinstance(kind, str) or any(type(each) is not int for each in (replica, *blocks)):
        raise ValueError(f"{value!r:.100} is not the meaning of an action")
    return Meaning(kind, replica, tuple(blocks))  # type: ignore[arg-type]
