# SPDX-License-Identifier: GPL-2.0-only
"""An explorer guided by a hierarchy of predicates."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers.explorer import Explorer
from defiance_zoo.protocols.explorers.situation import Situation
from defiance_zoo.protocols.explorers.value_tables import Table, check_share, pick_largest

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
        situation: Situation before the step.
        position: Position of the action.
        after: The next state; None if it is outside the segment, or final.
        advanced: Whether a later predicate holds after the step.
    """

    situation: Situation
    position: int
    after: Situation | None
    advanced: bool


class Waypoint(Explorer):
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
        super().__init__(seed)
        if not predicates:
            raise ParameterError("a hierarchy needs at least one predicate")
        self._predicates = tuple(predicates)
        self._alpha = check_share("alpha", alpha, zero=False)
        self._gamma = check_share("gamma", gamma)
        self._epsilon = check_share("epsilon", epsilon)
        count = len(self._predicates) + 1
        self._values = [Table(1.0) for _ in range(count)]
        self._visits = [Table() for _ in range(count)]
        self._level = 0
        self._steps: list[tuple[int, _Step]] = []

    def begin(self, situation: Situation) -> None:
        """See `Explorer`."""
        self._level = level(self._predicates, situation.info)
        self._steps = []

    def choose(self, situation: Situation) -> int:
        """See `Explorer`."""
        if self.random.random() < self._epsilon:
            return self.random.randrange(len(situation.actions))
        return pick_largest(self._values[self._level].row(situation), self.random)

    def learn(
        self, situation: Situation, position: int, after: Situation, terminated: bool
    ) -> None:
        """See `Explorer`."""
        before = self._level
        if before < len(self._predicates):
            self._level = level(self._predicates, after.info)
        goes_on = self._level == before and not terminated
        step = _Step(situation, position, after if goes_on else None, self._level > before)
        self._steps.append((before, step))

    def finish(self) -> None:
        """See `Explorer`."""
        for number, step in reversed(self._steps):
            values, visits = self._values[number], self._visits[number]
            place = step.situation.state, step.situation.keys[step.position]
            visits[place] += 1
            reward = 1 / visits[place] + (ADVANCE if step.advanced else 0.0)
            following = 0.0 if step.after is None else self._gamma * values.best(step.after)
            old = values[place]
            values[place] = (1 - self._alpha) * old + self._alpha * max(reward, following)
        self._steps = []

    def get_state(self) -> dict[str, Any]:
        """See `Explorer`."""
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
