# SPDX-License-Identifier: GPL-2.0-only
"""Explorers that get a bonus for what was seldom tried."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from defiance_zoo.errors import ParameterError
from defiance_zoo.protocols.explorers.explorer import Explorer
from defiance_zoo.protocols.explorers.situation import Situation
from defiance_zoo.protocols.explorers.tables import Table, check_counts, check_share, pick_largest


class Greedy(Explorer):
    """Chooses an action of the largest value, and with the chance `epsilon` any."""

    def __init__(self, seed: int, epsilon: float, initial: float) -> None:
        """Begin with this value of everything."""
        super().__init__(seed)
        self._epsilon = check_share("epsilon", epsilon)
        self._values, self._visits = Table(initial), Table()

    def choose(self, situation: Situation) -> int:
        """See `Explorer`."""
        if self.random.random() < self._epsilon:
            return self.random.randrange(len(situation.actions))
        return pick_largest(self._values.row(situation), self.random)

    def _count(self, place: tuple[str, str]) -> float:
        """Return how often an action was taken in a state, now included."""
        self._visits[place] += 1
        return self._visits[place]

    def get_state(self) -> dict[str, Any]:
        """See `Explorer`."""
        tables = {"values": self._values.get_state(), "visits": self._visits.get_state()}
        return {**super().get_state(), **tables}

    def _take_over(self, state: Mapping[str, Any]) -> None:
        """See `Explorer`."""
        super()._take_over(state)
        self._values.set_state(state["values"])
        self._visits.set_state(state["visits"], least=0)


class BonusMax(Greedy):
    """The larger one of a bonus that decays and of what follows, not their sum.

    Q(s, a) <- (1 - alpha) Q(s, a) + alpha max(1 / t(s, a), gamma max Q(s', .)), from 1, where t
    counts how often a was taken in s. Borgarelli, Enea, Majumdar and Nagendra, Reward augmentation
    in reinforcement learning for testing distributed systems, OOPSLA 2024.
    """

    name = "bonus_max"

    def __init__(
        self, seed: int = 0, *, alpha: float = 0.2, gamma: float = 0.95, epsilon: float = 0.05
    ) -> None:
        """Begin with nothing learnt.

        Args:
            seed: Of its chances.
            alpha: How much of what is new counts, above 0 to 1.
            gamma: How much what follows counts, 0 to 1.
            epsilon: The chance of any action, 0 to 1.

        Raises:
            ParameterError: One of them is out of range.
        """
        super().__init__(seed, epsilon, initial=1.0)
        self._alpha = check_share("alpha", alpha, zero=False)
        self._gamma = check_share("gamma", gamma)

    def learn(
        self, situation: Situation, position: int, after: Situation, terminated: bool
    ) -> None:
        """See `Explorer`."""
        place = situation.state, situation.keys[position]
        bonus = 1 / self._count(place)
        following = 0.0 if terminated else self._gamma * self._values.best(after)
        old = self._values[place]
        self._values[place] = (1 - self._alpha) * old + self._alpha * max(bonus, following)


class UCBZero(Greedy):
    """Optimistic values without any reward.

    Q(s, a) <- (1 - alpha_t) Q(s, a) + alpha_t (min(H, max Q(s', .)) + 2 b_t), from H, where
    alpha_t = (H + 1) / (H + t), b_t = c sqrt((H^3 + log(H A E N)) / t), for H steps of an episode,
    N states, A actions and E episodes. Zhang, Ma and Singla, Task-agnostic exploration in
    reinforcement learning, NeurIPS 2020, with the bonus that testing tools use.
    """

    name = "ucb_zero"

    def __init__(
        self,
        seed: int = 0,
        *,
        horizon: int = 25,
        states: int = 10_000,
        actions: int = 100,
        episodes: int = 10_000,
        epsilon: float = 0.05,
        constant: float = 0.5,
    ) -> None:
        """Begin with nothing learnt.

        Args:
            seed: Of its chances.
            horizon: Steps of an episode, at least 1.
            states: How many there may be, at least 1.
            actions: How many there may be, at least 1.
            episodes: How many will be played, at least 1.
            epsilon: The chance of any action, 0 to 1.
            constant: c, at least 0.

        Raises:
            ParameterError: One of them is out of range.
        """
        check_counts(horizon=horizon, states=states, actions=actions, episodes=episodes)
        if not constant >= 0:
            raise ParameterError(f"constant is a number from 0 on, not {constant!r}")
        super().__init__(seed, epsilon, initial=float(horizon))
        self._horizon, self._constant = float(horizon), float(constant)
        self._width = self._horizon**3 + math.log(horizon * actions * episodes * states)

    def learn(
        self, situation: Situation, position: int, after: Situation, terminated: bool
    ) -> None:
        """See `Explorer`."""
        place = situation.state, situation.keys[position]
        count = self._count(place)
        following = 0.0 if terminated else min(self._horizon, self._values.best(after))
        bonus = self._constant * math.sqrt(self._width / count)
        rate = (self._horizon + 1) / (self._horizon + count)
        self._values[place] = (1 - rate) * self._values[place] + rate * (following + 2 * bonus)
