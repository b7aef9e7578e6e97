# SPDX-License-Identifier: GPL-2.0-only
"""Q-learning with negative rewards, which favours untried actions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers.explorer import Explorer
from defiance_zoo.protocols.explorers.situation import Situation
from defiance_zoo.protocols.explorers.value_tables import Table, check_share, read_number


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

    def choose(self, situation: Situation) -> int:
        """See `Explorer`."""
        values = self._values.row(situation)
        largest = max(values)  # subtracted, so that no exponential overflows
        weights = [math.exp((value - largest) / self._temperature) for value in values]
        return self.random.choices(range(len(weights)), weights)[0]

    def learn(
        self, situation: Situation, position: int, after: Situation, terminated: bool
    ) -> None:
        """See `Explorer`."""
        reward = self._reward(after)
        following = 0.0 if terminated else self._values.best(after)
        place = situation.state, situation.keys[position]
        self._values[place] += self._alpha * (
            reward + self._gamma * following - self._values[place]
        )

    def _reward(self, _after: Situation) -> float:
        return -1.0

    def get_state(self) -> dict[str, Any]:
        """See `Explorer`."""
        return {**super().get_state(), "values": self._values.get_state()}

    def _take_over(self, state: Mapping[str, Any]) -> None:
        """See `Explorer`."""
        super()._take_over(state)
        self._values.set_state(state["values"])


class NegRLVisits(NegRL):
    """`NegRL` with the negative number of visits of the reached state as reward."""

    name = "negrl_visits"

    def __init__(
        self, seed: int = 0, *, alpha: float = 0.3, gamma: float = 0.7, temperature: float = 1.0
    ) -> None:
        """See `NegRL`."""
        super().__init__(seed, alpha=alpha, gamma=gamma, temperature=temperature)
        self._visits: dict[str, int] = {}

    def _reward(self, after: Situation) -> float:
        count = self._visits[after.state] = self._visits.get(after.state, 0) + 1
        return -float(count)

    def get_state(self) -> dict[str, Any]:
        """See `Explorer`."""
        return {**super().get_state(), "visits": dict(self._visits)}

    def _take_over(self, state: Mapping[str, Any]) -> None:
        """See `Explorer`."""
        super()._take_over(state)
        visits = {name: read_number(each, least=0) for name, each in state["visits"].items()}
        self._visits = {name: int(each) for name, each in visits.items()}
