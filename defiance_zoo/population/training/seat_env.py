# SPDX-License-Identifier: GPL-2.0-only
"""Environments for one seat of a game, with policies in the other seats."""

from __future__ import annotations

import abc
from typing import Any

import gymnasium
import numpy as np

from defiance_zoo.bridge.process.retries import ATTEMPTS
from defiance_zoo.environments import Policy, SimulationAECEnv
from defiance_zoo.errors import SimulationError
from defiance_zoo.population.games.game import Game
from defiance_zoo.population.members.players import Player, options_of
from defiance_zoo.population.training.opponents import Opponents

_SEEDS = 1 << 31


class Seating:
    """The learning agent's seat, and the policies in the other seats."""

    def __init__(self, game: Game, role: str, opponents: Opponents, env: SimulationAECEnv) -> None:
        self._game, self._role, self._opponents, self._env = game, role, opponents, env
        self._spec = game.spec
        self._own = game.seats.of_role(role)
        self._turns = 0
        self._made: dict[tuple[str, str], Policy] = {}
        self.agent = game.seats.agents[self._own[0]]
        self.others: dict[str, Policy] = {}
        self.options: dict[str, Any] = {}

    def begin(self, draw: np.random.Generator) -> None:
        """Reset the state, and draw the first seat, because parallel environments must differ."""
        self._made = {}
        self._turns = int(draw.integers(len(self._own)))

    def change(self, draw: np.random.Generator) -> None:
        """Take the next seat, and draw the other seats' policies independently."""
        seats, own = self._game.seats, self._own[self._turns % len(self._own)]
        self._turns += 1
        self.agent = seats.agents[own]
        self.others, players = {}, {}
        for seat, (agent, role) in enumerate(zip(seats.agents, seats.roles, strict=True)):
            if seat != own:
                players[agent] = self._opponents.draw(role, draw)
                self.others[agent] = self._find(agent, players[agent], draw)
                self.others[agent].reset()
        self.options = options_of(players)

    def _find(self, agent: str, player: Player, draw: np.random.Generator) -> Policy:
        """Return a seat's policy, which is reused whenever it is drawn again."""
        known = self._made.get((agent, player.name))
        if known is None:
            seed = int(draw.integers(_SEEDS))
            known = player.make(self._spec, self._env, agent, seed)
            self._made[agent, player.name] = known
        return known


class SeatEnv(gymnasium.Env[Any, Any]):
    """One agent in a game, with policies in the other seats.

    The agent takes the seats of its role in turn; each episode draws new opponents.
    """

    def __init__(self, game: Game, role: str, opponents: Opponents) -> None:
        self._game, self._env = game, game.open()
        self._seating = Seating(game, role, opponents, self._env)
        first = self._seating.agent
        self.observation_space = self._env.observation_space(first)
        self.action_space = self._env.action_space(first)
        self.failures = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in the next seat, with newly drawn opponents."""
        super().reset(seed=seed)
        if seed is not None:
            self._seating.begin(self.np_random)
        self._seating.change(self.np_random)
        for attempt in range(ATTEMPTS):
            try:
                begun = self._begin(seed)
            except SimulationError:
                self.failures += 1
                seed = None  # the next run number may avoid the failure
                if attempt == ATTEMPTS - 1:
                    raise
                continue
            if begun is not None:
                return begun
        raise SimulationError(f"{self._seating.agent} did not decide in {ATTEMPTS} episodes")

    def close(self) -> None:
        """End the simulation; may be called again."""
        self._env.close()

    @abc.abstractmethod
    def _begin(self, seed: int | None) -> tuple[Any, dict[str, Any]] | None:
        """Play until the first decision of the agent; return its observation and info, or None."""
