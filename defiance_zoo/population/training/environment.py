# SPDX-License-Identifier: GPL-2.0-only
"""A game as an environment for one player; opponents are part of the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from defiance_zoo.bridge.codec.masks import MASK
from defiance_zoo.bridge.simulation import adopt_programs, kept_programs
from defiance_zoo.environments.placeholder import placeholder_observation
from defiance_zoo.errors import SimulationError
from defiance_zoo.experiments.training.trainer import PAYOFF, SCORE
from defiance_zoo.population.games.game import Game, score
from defiance_zoo.population.training.opponents import Opponents
from defiance_zoo.population.training.seat_env import SeatEnv


class OneShotEnv(SeatEnv):
    """One agent against a mixture, in a game of one decision; see `Game.one_shot`.

    An episode is a decision of each agent; observations are zeros. The next episode continues the
    same simulation with other opponents, which avoids a reset; a seed begins a new simulation.
    """

    def __init__(self, game: Game, role: str, opponents: Opponents) -> None:
        super().__init__(game, role, opponents)
        self._blank = {
            agent: placeholder_observation(self._env.observation_space(agent))
            for agent in game.seats.agents
        }
        self._runs = False

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act, let the others act, and return the payoffs of all."""
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
        """Let each agent decide once; return their payoffs."""
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
            raise SimulationError(f"{seating.agent} did not decide in the same round as others")
        earned = {agent: float(env.rewards.get(agent, 0.0)) for agent in self._game.seats.agents}
        while env.agents and _has_ended(env):
            env.step(None)
        self._runs = bool(env.agents)
        return earned


def _has_ended(env: Any) -> bool:
    agent = env.agent_selection
    return bool(env.terminations[agent] or env.truncations[agent])


@dataclass(frozen=True)
class MakeBestResponseEnv:
    """Makes a `BestResponseEnv`; it can be sent to another process."""

    game: Game
    role: str
    opponents: Opponents
    programs: Mapping[str, str] = field(default_factory=kept_programs)

    def __call__(self) -> BestResponseEnv | OneShotEnv:
        """Return the environment; games of one decision have their own class."""
        adopt_programs(self.programs)
        kind = OneShotEnv if self.game.one_shot else BestResponseEnv
        return kind(self.game, self.role, self.opponents)


class BestResponseEnv(SeatEnv):
    """One agent against a mixture.

    The policies of the other seats are drawn in each episode, independently for each seat, and
    loaded on demand. Infos hold the agent's action mask, if any, and at an episode's end `payoff`
    and `score`. A lost simulation truncates the episode, with the info `failure`.
    """

    def __init__(self, game: Game, role: str, opponents: Opponents) -> None:
        super().__init__(game, role, opponents)
        self._earned: dict[str, float] = {}
        self._decisions: dict[str, int] = {}
        self._observation: Any = None
        self._terminated = False

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act, and let the others act until the agent decides again."""
        agent = self._seating.agent
        before = self._earned[agent]
        self._decisions[agent] += 1
        try:
            self._env.step(action)
            ended, info = self._play()
        except SimulationError as error:
            self.failures += 1
            info = {**self._result(), "failure": str(error)}
            return self._observation, 0.0, False, True, info
        reward = self._earned[agent] - before
        terminated = ended and bool(self._terminated)
        return self._observation, reward, terminated, ended and not terminated, info

    def _begin(self, seed: int | None) -> tuple[Any, dict[str, Any]] | None:
        """See `SeatEnv`."""
        self._env.reset(seed=seed, options=self._seating.options)
        self._earned = dict.fromkeys(self._game.seats.agents, 0.0)
        self._decisions = dict.fromkeys(self._game.seats.agents, 0)
        self._terminated = False
        ended, info = self._play()
        return None if ended else (self._observation, info)

    def _play(self) -> tuple[bool, dict[str, Any]]:
        """Play until the agent decides or ends; return whether the agent ended, and its infos."""
        env, ended = self._env, False
        while env.agents:
            agent = env.agent_selection
            observation, reward, terminated, truncated, info = env.last()
            over = terminated or truncated
            if ended and not over:
                break  # only the other agents continue
            self._earned[agent] = self._earned.get(agent, 0.0) + float(reward)
            if agent == self._seating.agent:
                self._observation = observation
                if not over:
                    return False, {MASK: info[MASK]} if MASK in info else {}
                ended, self._terminated = True, terminated
            if over:
                env.step(None)
                continue
            self._decisions[agent] += 1
            env.step(self._seating.others[agent].act(agent, observation, info))
        return True, self._result()

    def _result(self) -> dict[str, Any]:
        paid = {
            agent: self._game.pay(self._earned[agent], self._decisions[agent])
            for agent in self._game.seats.agents
        }
        return {PAYOFF: paid[self._seating.agent], SCORE: score(paid, self._seating.agent)}
