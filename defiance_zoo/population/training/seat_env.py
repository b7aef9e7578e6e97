# SPDX-License-Identifier: GPL-2.0-only
"""What all environments of one seat of a game have in common."""

from __future__ import annotations

import abc
from typing import Any

import gymnasium

from defiance_zoo.bridge.process.attempts import ATTEMPTS
from defiance_zoo.errors import SimulationError
from defiance_zoo.population.games.game import Game
from defiance_zoo.population.training.opponents import Opponents
from defiance_zoo.population.training.seating import Seating


class SeatEnv(gymnasium.Env[Any, Any]):
    """One agent in a game, whose seats the policies of others take besides.

    The agent takes the seats of its role in turn, and opponents are drawn anew in each episode.

    Attributes:
        failures: Simulations that were lost.
    """

    def __init__(self, game: Game, role: str, opponents: Opponents) -> None:
        """Make it; a simulation tells its spaces.

        Args:
            game: What is played.
            role: That the agent learns.
            opponents: Whom it meets.
        """
        self._game, self._env = game, game.open()
        self._seating = Seating(game, role, opponents, self._env)
        first = self._seating.agent
        self.observation_space = self._env.observation_space(first)
        self.action_space = self._env.action_space(first)
        self.failures = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in the next seat, with opponents that are drawn anew.

        Raises:
            SimulationError: Simulations were lost again and again, or never asked the agent.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._seating.begin(self.np_random)
        self._seating.change(self.np_random)
        for attempt in range(ATTEMPTS):
            try:
                begun = self._begin(seed)
            except SimulationError:
                self.failures += 1
                seed = None  # this one leads to a failure; the next run number need not
                if attempt == ATTEMPTS - 1:
                    raise
                continue
            if begun is not None:
                return begun
        raise SimulationError(f"{self._seating.agent} was not asked in {ATTEMPTS} episodes")

    def close(self) -> None:
        """End the simulation; may be called again."""
        self._env.close()

    @abc.abstractmethod
    def _begin(self, seed: int | None) -> tuple[Any, dict[str, Any]] | None:
        """Play until the agent is asked first; return what it is told, or None if it was not.

        Raises:
            SimulationError: The simulation was lost.
        """
