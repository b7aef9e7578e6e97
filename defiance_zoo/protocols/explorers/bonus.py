# SPDX-License-Identifier: GPL-2.0-only
"""An explorer with a bonus for rarely tried actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from defiance_zoo.protocols.explorers.explorer import Explorer
from defiance_zoo.protocols.explorers.situation import Situation
from defiance_zoo.protocols.explorers.value_tables import Table, check_share, pick_largest


class BonusMax(Explorer):
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
        super().__init__(seed)
        self._epsilon = check_share("epsilon", epsilon)
        self._alpha = check_share("alpha", alpha, zero=False)
        self._gamma = check_share("gamma", gamma)
        self._values, self._visits = Table(1.0), Table()

    def choose(self, situation: Situation) -> int:
        """See `Explorer`."""
        if self.random.random() < self._epsilon:
            return self.random.randrange(len(situation.actions))
        return pick_largest(self._values.row(situation), self.random)

    def learn(
        self, situation: Situation, position: int, after: Situation, terminated: bool
    ) -> None:
        """See `Explorer`."""
        place = situation.state, situation.keys[position]
        self._visits[place] += 1
        bonus = 1 / self._visits[place]
        following = 0.0 if terminated else self._gamma * self._values.best(after)
        old = self._values[place]
        self._values[place] = (1 - self._alpha) * old + self._alpha * max(bonus, following)

    def get_state(self) -> dict[str, Any]:
        """See `Explorer`."""
        tables = {"values": self._values.get_state(), "visits": self._visits.get_state()}
        return {**super().get_state(), **tables}

    def _take_over(self, state: Mapping[str, Any]) -> None:
        """See `Explorer`."""
        super()._take_over(state)
        self._values.set_state(state["values"])
        self._visits.set_state(state["visits"], least=0)
