# SPDX-License-Identifier: GPL-2.0-only
"""Who sits where while one agent learns."""

from __future__ import annotations

from typing import Any

import numpy as np

from defiance_zoo.environments import Policy, SimulationAECEnv
from defiance_zoo.population.games.game import Game
from defiance_zoo.population.members.players import Player, options_of
from defiance_zoo.population.training.opponents import Opponents

_SEEDS = 1 << 31


class Seating:
    """The seat of the agent that learns, and the policies in the others.

    Attributes:
        agent: Who learns in this episode.
        others: Who decides for each other agent in this episode.
        options: Of `reset()`, by which the scenario decides for some of them.
    """

    def __init__(self, game: Game, role: str, opponents: Opponents, env: SimulationAECEnv) -> None:
        """Begin in the first seat of a role, with nobody in the others.

        Args:
            game: What is played.
            role: That the agent learns.
            opponents: Whom it meets.
            env: Where they play.
        """
        self._game, self._role, self._opponents, self._env = game, role, opponents, env
        self._spec = game.spec
        self._own = game.seats.of_role(role)
        self._turns = 0
        self._made: dict[tuple[str, str], Policy] = {}
        self.agent = game.seats.agents[self._own[0]]
        self.others: dict[str, Policy] = {}
        self.options: dict[str, Any] = {}

    def begin(self, draw: np.random.Generator) -> None:
        """Forget what has been, and draw the first seat: others side by side begin in others."""
        self._made = {}
        self._turns = int(draw.integers(len(self._own)))

    def change(self, draw: np.random.Generator) -> None:
        """Take the next seat, and draw who sits in the others, each by itself."""
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
        """Return the policy of a seat; the same one plays it whenever it is drawn."""
        known = self._made.get((agent, player.name))
        if known is None:
            seed = int(draw.integers(_SEEDS))
            known = player.make(self._spec, self._env, agent, seed)
            self._made[agent, player.name] = known
        return known
