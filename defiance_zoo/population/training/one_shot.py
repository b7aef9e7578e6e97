# SPDX-License-Identifier: GPL-2.0-only
"""Games of one decision, many of which are played in one simulation."""

from __future__ import annotations

from typing import Any

import gymnasium

from defiance_zoo.environments.placeholder import placeholder_observation
from defiance_zoo.errors import SimulationError
from defiance_zoo.population.games.game import Game, score
from defiance_zoo.population.games.playing import ATTEMPTS
from defiance_zoo.population.training.opponents import Opponents
from defiance_zoo.population.training.seating import Seating
from defiance_zoo.training.single_agent import PAYOFF, SCORE


class OneShotEnv(gymnasium.Env[Any, Any]):
    """One agent against a mixture, in a game of one decision; see `Game.one_shot`.

    An episode is a decision of each agent, who observe zeros. The next one goes on in the same
    simulation, with other opponents, so that it costs no reset.

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
        self._blank = {
            agent: placeholder_observation(self._env.observation_space(agent))
            for agent in game.seats.agents
        }
        self._runs = False
        self.failures = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Draw opponents; a simulation is begun if none runs, or there is a seed.

        Raises:
            SimulationError: Simulations were lost again and again.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._seating.begin(self.np_random)
        self._seating.change(self.np_random)
        for attempt in range(ATTEMPTS):
            if self._runs and seed is None:
                break
            try:
                self._env.reset(seed=seed)
                self._runs, seed = True, None
            except SimulationError:
                self.failures += 1
                seed = None  # this one leads to a failure; the next run number need not
                if attempt == ATTEMPTS - 1:
                    raise
        return self._blank[self._seating.agent], {}

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

    def close(self) -> None:
        """End the simulation; may be called again."""
        self._env.close()

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
