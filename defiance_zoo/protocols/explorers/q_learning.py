# SPDX-License-Identifier: GPL-2.0-only
"""Explorers that learn values of actions in tables."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from sys import intern
from typing import Any, NamedTuple

from defiance_zoo.envs.partition.actions import DELAYS, Kind, find_actions
from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers.explorer import Explorer, Situation, read_number


class Table:
    """A number for each action in each state.

    Attributes:
        initial: Value of unset entries.
    """

    def __init__(self, initial: float = 0.0) -> None:
        self.initial = initial
        self._rows: dict[str, dict[str, float]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._rows.values()))

    def __getitem__(self, place: tuple[str, str]) -> float:
        state, action = place
        return self._rows.get(state, {}).get(action, self.initial)

    def __setitem__(self, place: tuple[str, str], value: float) -> None:
        state, action = place
        self._rows.setdefault(state, {})[intern(action)] = value

    def row(self, situation: Situation) -> list[float]:
        """Return the number of each allowed action."""
        known = self._rows.get(situation.state)
        if known is None:
            return [self.initial] * len(situation.keys)
        return [known.get(key, self.initial) for key in situation.keys]

    def best(self, situation: Situation) -> float:
        """Return the maximum over the allowed actions; 0 if no action is allowed."""
        return max(self.row(situation), default=0.0)

    def get_state(self) -> dict[str, Any]:
        """Return the entries, for JSON."""
        return {state: dict(row) for state, row in self._rows.items()}

    def set_state(
        self, state: Mapping[str, Mapping[str, float]], *, least: float = -math.inf
    ) -> None:
        """Restore the result of `get_state()`."""
        self._rows = {
            key: {intern(action): read_number(value, least) for action, value in row.items()}
            for key, row in state.items()
        }


def pick_largest(values: Sequence[float], chance: random.Random) -> int:
    """Return the position of the largest value, drawn at random among equals."""
    largest = max(values)
    positions = [position for position, value in enumerate(values) if value == largest]
    return positions[0] if len(positions) == 1 else chance.choice(positions)


def check_share(name: str, value: float, *, zero: bool = True) -> float:
    """Check that a value is from 0 to 1, and return it."""
    if not (0 <= value <= 1) or (value == 0 and not zero):
        raise ParameterError(f"{name} must be {'from' if zero else 'above'} 0 to 1, not {value!r}")
    return float(value)


class NegRL(Explorer):
    """Q-learning with the reward -1 for each step, and actions by softmax over their values.

    Q(s, a) <- (1 - alpha) Q(s, a) + alpha (-1 + gamma max Q(s', .)), from 0. The baseline of
    Mukherjee et al., Learning-based controlled concurrency testing, OOPSLA 2020.
    """

    name = "negrl"

    def __init__(
        self, seed: int = 0, *, alpha: float = 0.3, gamma: float = 0.7, temperature: float = 1.0
    ) -> None:
        """Begin without learned values.

        Args:
            seed: Seed of random choices.
            alpha: Learning rate, above 0 to 1.
            gamma: Discount of later rewards, 0 to 1.
            temperature: Temperature of the softmax, above 0.

        Raises:
            ParameterError: An argument is out of range.
        """
        super().__init__(seed)
        if not temperature > 0:
            raise ParameterError(f"temperature must be above 0, not {temperature!r}")
        self._alpha = check_share("alpha", alpha, zero=False)
        self._gamma = check_share("gamma", gamma)
        self._temperature = float(temperature)
        self._values = Table()
        self._visits: dict[str, int] = {}

    def choose(self, situation: Situation) -> int:
        values = self._values.row(situation)
        largest = max(values)  # subtracted, so that no exponential overflows
        weights = [math.exp((value - largest) / self._temperature) for value in values]
        return self.random.choices(range(len(weights)), weights)[0]

    def learn(
        self, situation: Situation, position: int, after: Situation, terminated: bool
    ) -> None:
        reward = self._reward(after)
        following = 0.0 if terminated else self._values.best(after)
        place = situation.state, situation.keys[position]
        self._values[place] += self._alpha * (
            reward + self._gamma * following - self._values[place]
        )

    def _reward(self, _after: Situation) -> float:
        return -1.0

    def get_state(self) -> dict[str, Any]:
        return {**super().get_state(), "values": self._values.get_state()}

    def _take_over(self, state: Mapping[str, Any]) -> None:
        super()._take_over(state)
        self._values.set_state(state["values"])


class NegRLVisits(NegRL):
    """`NegRL` with the negative number of visits of the reached state as reward."""

    name = "negrl_visits"

    def _reward(self, after: Situation) -> float:
        count = self._visits[after.state] = self._visits.get(after.state, 0) + 1
        return -float(count)

    def get_state(self) -> dict[str, Any]:
        return {**super().get_state(), "visits": dict(self._visits)}

    def _take_over(self, state: Mapping[str, Any]) -> None:
        super()._take_over(state)
        visits = {name: read_number(each, least=0) for name, each in state["visits"].items()}
        self._visits = {name: int(each) for name, each in visits.items()}


class _Greedy(Explorer):
    """Takes the action of the greatest value, or with a small probability a random one."""

    def __init__(self, seed: int, alpha: float, gamma: float, epsilon: float) -> None:
        super().__init__(seed)
        self._alpha = check_share("alpha", alpha, zero=False)
        self._gamma = check_share("gamma", gamma)
        self._epsilon = check_share("epsilon", epsilon)

    def _pick(self, situation: Situation, values: Table) -> int:
        if self.random.random() < self._epsilon:
            return self.random.randrange(len(situation.actions))
        return pick_largest(values.row(situation), self.random)

    def _update(
        self,
        values: Table,
        visits: Table,
        place: tuple[str, str],
        after: Situation | None,
        reward: float = 0.0,
    ) -> None:
        """Learn from a step: its reward and the bonus, or the value of the next state, if any."""
        visits[place] += 1
        bonus = 1 / visits[place] + reward
        following = 0.0 if after is None else self._gamma * values.best(after)
        values[place] = (1 - self._alpha) * values[place] + self._alpha * max(bonus, following)


class BonusMax(_Greedy):
    """Q-learning with the maximum, not the sum, of a decaying bonus and the next value.

    Q(s, a) <- (1 - alpha) Q(s, a) + alpha max(1 / t(s, a), gamma max Q(s', .)), from 1, where t
    counts how often a was taken in s. Borgarelli, Enea, Majumdar and Nagendra, Reward augmentation
    in reinforcement learning for testing distributed systems, OOPSLA 2024.
    """

    name = "bonus_max"

    def __init__(
        self, seed: int = 0, *, alpha: float = 0.2, gamma: float = 0.95, epsilon: float = 0.05
    ) -> None:
        """Begin without learned values.

        Args:
            seed: Seed of random choices.
            alpha: Learning rate, above 0 to 1.
            gamma: Discount of later rewards, 0 to 1.
            epsilon: The probability of a random action, 0 to 1.

        Raises:
            ParameterError: An argument is out of range.
        """
        super().__init__(seed, alpha, gamma, epsilon)
        self._values, self._visits = Table(1.0), Table()

    def choose(self, situation: Situation) -> int:
        return self._pick(situation, self._values)

    def learn(
        self, situation: Situation, position: int, after: Situation, terminated: bool
    ) -> None:
        place = situation.state, situation.keys[position]
        self._update(self._values, self._visits, place, None if terminated else after)

    def get_state(self) -> dict[str, Any]:
        tables = {"values": self._values.get_state(), "visits": self._visits.get_state()}
        return {**super().get_state(), **tables}

    def _take_over(self, state: Mapping[str, Any]) -> None:
        super()._take_over(state)
        self._values.set_state(state["values"])
        self._visits.set_state(state["visits"], least=0)


Holds = Callable[[Mapping[str, Any]], bool]
"""Returns whether a predicate holds for an info."""

ADVANCE = 2.0
"""The reward of a step that leads to a later predicate."""


def level(predicates: Sequence[Holds], info: Mapping[str, Any]) -> int:
    """Return the number of the last predicate that holds, from 1 on; 0 if none does."""
    for number in range(len(predicates), 0, -1):
        if predicates[number - 1](info):
            return number
    return 0


class _Step(NamedTuple):
    """A step of a segment.

    Attributes:
        after: The next state; None if it is outside the segment, or final.
    """

    place: tuple[str, str]
    after: Situation | None
    advanced: bool


class Waypoint(_Greedy):
    """Learns to reach each predicate of a hierarchy from the previous one; explores at the last.

    There is a table of values for each predicate, and one for states in which none holds. The table
    of the last predicate that holds determines actions. At the end of an episode, the explorer
    learns each step, backwards, in the table that determined it. Q(s, a) <- (1 - alpha) Q(s, a) +
    alpha max(r, gamma max Q(s', .)), from 1, with r = 1 / t(s, a), and 2 more if a later predicate
    holds in s'. The value of s' does not count if the last predicate that holds changes. Once the
    last predicate of the hierarchy is reached, its table is used until the end of the episode.
    After Borgarelli et al., OOPSLA 2024.
    """

    name = "waypoint"

    def __init__(
        self,
        seed: int = 0,
        *,
        predicates: Sequence[Holds],
        alpha: float = 0.2,
        gamma: float = 0.95,
        epsilon: float = 0.05,
    ) -> None:
        """Begin without learned values.

        Args:
            seed: Seed of random choices.
            predicates: Hierarchy of predicates on infos, at least one.
            alpha: Learning rate, above 0 to 1.
            gamma: Discount of later rewards, 0 to 1.
            epsilon: The probability of a random action, 0 to 1.

        Raises:
            ParameterError: There is no predicate, or a number is out of range.
        """
        super().__init__(seed, alpha, gamma, epsilon)
        if not predicates:
            raise ParameterError("a hierarchy needs at least one predicate")
        self._predicates = tuple(predicates)
        count = len(self._predicates) + 1
        self._values = [Table(1.0) for _ in range(count)]
        self._visits = [Table() for _ in range(count)]
        self._level = 0
        self._steps: list[tuple[int, _Step]] = []

    def begin(self, situation: Situation) -> None:
        self._level = level(self._predicates, situation.info)
        self._steps = []

    def choose(self, situation: Situation) -> int:
        return self._pick(situation, self._values[self._level])

    def learn(
        self, situation: Situation, position: int, after: Situation, terminated: bool
    ) -> None:
        before = self._level
        if before < len(self._predicates):
            self._level = level(self._predicates, after.info)
        goes_on = self._level == before and not terminated
        place = situation.state, situation.keys[position]
        step = _Step(place, after if goes_on else None, self._level > before)
        self._steps.append((before, step))

    def finish(self) -> None:
        for number, step in reversed(self._steps):
            reward = ADVANCE if step.advanced else 0.0
            self._update(self._values[number], self._visits[number], step.place, step.after, reward)
        self._steps = []

    def get_state(self) -> dict[str, Any]:
        tables = {
            "values": [table.get_state() for table in self._values],
            "visits": [table.get_state() for table in self._visits],
        }
        return {**super().get_state(), **tables}

    def _take_over(self, state: Mapping[str, Any]) -> None:
        """See `Explorer`; a hierarchy of another length is refused."""
        if len(state.get("values", ())) not in (0, len(self._values)):
            raise ParameterError(
                f"this state has {len(state['values']) - 1} predicates, not {len(self._predicates)}"
            )
        super()._take_over(state)
        for tables, key, least in (
            (self._values, "values", -math.inf),
            (self._visits, "visits", 0.0),
        ):
            for table, known in zip(tables, state[key], strict=True):
                table.set_state(known, least=least)


_KINDS: frozenset[Kind] = frozenset(["keep", "request", "delay", "release"])
"""The actions that determine the delivery of messages and requests."""


class Schedule(NegRL):
    """Learns to delay messages, and injects no other faults.

    Q-learning as in `NegRL`, over the actions that determine the delivery of messages and requests.
    It takes other actions only if none of these is allowed.
    """

    name = "schedule"

    def begin(self, situation: Situation) -> None:
        if DELAYS not in situation.info:
            raise ParameterError(
                f"{self.name} delays messages, but this environment has no actions for that; pass "
                "with_delays=True to partition_v0, or to your own protocol"
            )

    def choose(self, situation: Situation) -> int:
        actions, allowed = find_actions(situation.info), situation.actions
        kept = [place for place, each in enumerate(allowed) if actions[each].kind in _KINDS]
        if not kept:
            return super().choose(situation)
        return kept[super().choose(situation.only(kept))]
