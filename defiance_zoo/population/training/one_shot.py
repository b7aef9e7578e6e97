# SPDX-License-Identifier: GPL-2.0-only
"""Games of one decision, many of which are played in one simulation."""

from __future__ import annotations

from typing import Any

from defiance_zoo.environments.placeholder import placeholder_observation
from defiance_zoo.errors import SimulationError
from defiance_zoo.experiments.training.single_agent import PAYOFF, SCORE
from defiance_zoo.population.games.game import Game, score
from defiance_zoo.population.training.opponents import Opponents
from defiance_zoo.population.training.seat_env import SeatEnv


class OneShotEnv(SeatEnv):
    """One agent against a mixture, in a game of one decision; see `Game.one_shot`.

    An episode is a decision of each agent, who observe zeros. The next one goes on in the same
    simulation, with other opponents, so that it costs no reset; a seed begins a simulation.
    """

    def __init__(self, game: Game, role: str, opponents: Opponents) -> None:
        """See `SeatEnv`."""
        super().__init__(game, role, opponents)
        self._blank = {
            agent: placeholder_observation(self._env.observation_space(agent))
            for agent in game.seats.agents
        }
        self._runs = False

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act, have the others act, and see what all have earned.

        Raises:
            InvalidAction: The action is not in its space.
        """
        agent, failure = self._seating.agent, {}
        try:
            paid = self._decide(action)
        except SimulationError as error:
            self._runs = False
            self.failures += 1
            paid, failure = dict.fromkeys(self._game.seats.agents, 0.0), {"failure": str(error)}
        info = {PAYOFF: paid[agent], SCORE: score(paid, agent), **failure}
        return self._blank[agent], paid[agent], not failure, bool(failure), info

    def _begin(self, seed: int | None) -> tuple[Any, dict[str, Any]]:
        """See `SeatEnv`."""
        if seed is not None or not self._runs:
            self._runs = False
            self._env.reset(seed=seed)
            self._runs = True
        return self._blank[self._seating.agent], {}

    def _decide(self, action: Any) -> dict[str, float]:
        """Let each agent decide once; return what they have earned by it."""
        env, seating = self._env, self._seating
        decided: set[str] = set()
        while env.agents:
            agent = env.agent_selection
            over = env.terminations[agent] or env.truncations[agent]
            if over or agent in decided:
                break  # the round is over
            decided.add(agent)
            if agent == seating.agent:
                env.step(action)
            else:
                info = env.infos[agent]
                env.step(seating.others[agent].act(agent, self._blank[agent], info))
        if seating.agent not in decided:
            raise SimulationError(f"{seating.agent} was not asked in the same round as others")
        earned = {agent: float(env.rewards.get(agent, 0.0)) for agent in self._game.seats.agents}
        while env.agents and _has_ended(env):
            env.step(None)
        self._runs = bool(env.agents)
        return earned


def _has_ended(env: Any) -> bool:
    agent = env.agent_selection
    return bool(env.terminations[agent] or env.truncations[agent])
