# SPDX-License-Identifier: GPL-2.0-only
"""A game as an environment for one player; opponents are part of the environment."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np

from defiance_zoo.bridge.codec.masks import MASK
from defiance_zoo.bridge.codec.spaces import placeholder_observation
from defiance_zoo.bridge.process.simulation_process import ATTEMPTS, Losses
from defiance_zoo.bridge.simulation import adopt_programs, kept_programs
from defiance_zoo.environments import Policy
from defiance_zoo.errors import SimulationError
from defiance_zoo.experiments.training.trainer import PAYOFF, SCORE
from defiance_zoo.population.games.game import Game, score
from defiance_zoo.population.games.normal_form import Floats
from defiance_zoo.population.members import Player, options_of

LEAST = 1e-3
"""Default probability below which an opponent is never sampled."""


@dataclass(frozen=True)
class Opponents:
    """Policies of each role, and their probabilities."""

    players: Mapping[str, tuple[Player, ...]]
    weights: Mapping[str, tuple[float, ...]]

    @classmethod
    def of(
        cls,
        names: Mapping[str, Sequence[str]],
        mixtures: Mapping[str, Floats],
        find: Callable[[str], Player],
        least: float = LEAST,
    ) -> Opponents:
        """Return the policies that can be sampled; `find` is called only with their names."""
        opponent_names, weights = {}, {}
        for role, mixture in mixtures.items():
            kept = [
                (name, float(each))
                for name, each in zip(names[role], mixture, strict=True)
                if each > 0 and each >= min(least, float(max(mixture)))
            ]
            total = sum(each for _, each in kept)
            opponent_names[role] = tuple(find(name) for name, _ in kept)
            weights[role] = tuple(each / total for _, each in kept)
        return cls(opponent_names, weights)

    def draw(self, role: str, draw: np.random.Generator) -> Player:
        """Draw the policy for a seat of a role."""
        return self.players[role][int(draw.choice(len(self.weights[role]), p=self.weights[role]))]

    def packed(self) -> Opponents:
        """Return the same opponents for machines without this machine's files."""
        players = {
            role: tuple(player.packed() for player in each) for role, each in self.players.items()
        }
        return Opponents(players, self.weights)


SEEDS = 1 << 31
"""Bound of the libraries' seeds."""


class SeatEnv(gymnasium.Env[Any, Any]):
    """One agent in a game, with policies in the other seats.

    The agent takes the seats of its role in turn; each episode draws new opponents.
    """

    def __init__(self, game: Game, role: str, opponents: Opponents) -> None:
        self._game, self._opponents, self._env = game, opponents, game.open()
        self._own = game.seats.of_role(role)
        self._turns, self.losses = 0, Losses()
        self._made: dict[tuple[str, str], Policy] = {}
        self._agent = game.seats.agents[self._own[0]]
        self._others: dict[str, Policy] = {}
        self._options: dict[str, Any] = {}
        self.observation_space = self._env.observation_space(self._agent)
        self.action_space = self._env.action_space(self._agent)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in the next seat, with newly drawn opponents."""
        super().reset(seed=seed)
        if seed is not None:
            self._made = {}
            # Parallel environments must differ.
            self._turns = int(self.np_random.integers(len(self._own)))
        self._change_seats()
        for attempt in range(ATTEMPTS):
            try:
                begun = self._begin(seed)
            except SimulationError as error:
                if not self.losses.forgives(error) or attempt == ATTEMPTS - 1:
                    raise
                seed = None  # the next run number may avoid the failure
                continue
            if begun is not None:
                return begun
        raise SimulationError(f"{self._agent} did not decide in {ATTEMPTS} episodes")

    def close(self) -> None:
        self._env.close()

    def _change_seats(self) -> None:
        """Take the next seat, and draw the other seats' policies independently."""
        seats, own = self._game.seats, self._own[self._turns % len(self._own)]
        self._turns += 1
        self._agent = seats.agents[own]
        self._others, players = {}, {}
        for seat, (agent, role) in enumerate(zip(seats.agents, seats.roles, strict=True)):
            if seat != own:
                players[agent] = self._opponents.draw(role, self.np_random)
                self._others[agent] = self._find_policy(agent, players[agent])
                self._others[agent].reset()
        self._options = options_of(players)

    def _find_policy(self, agent: str, player: Player) -> Policy:
        """Return a seat's policy, which is reused whenever it is drawn again."""
        known = self._made.get((agent, player.name))
        if known is None:
            seed = int(self.np_random.integers(SEEDS))
            known = player.make(self._game.spec, self._env, agent, seed)
            self._made[agent, player.name] = known
        return known

    @abc.abstractmethod
    def _begin(self, seed: int | None) -> tuple[Any, dict[str, Any]] | None:
        """Play until the first decision of the agent; return its observation and info, or None."""


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
        agent, failure = self._agent, {}
        try:
            paid = self._decide(action)
        except SimulationError as error:
            self._runs = False
            self.losses.forgives(error)  # if it lasts, the trainer raises it
            paid, failure = dict.fromkeys(self._game.seats.agents, 0.0), {"failure": str(error)}
        info = {PAYOFF: paid[agent], SCORE: score(paid, agent), **failure}
        return self._blank[agent], paid[agent], not failure, bool(failure), info

    def _begin(self, seed: int | None) -> tuple[Any, dict[str, Any]]:
        if seed is not None or not self._runs:
            self._runs = False
            self._env.reset(seed=seed)
            self._runs = True
        return self._blank[self._agent], {}

    def _decide(self, action: Any) -> dict[str, float]:
        """Let each agent decide once; return their payoffs."""
        env = self._env
        decided: set[str] = set()
        while env.agents:
            agent = env.agent_selection
            if _has_ended(env) or agent in decided:
                break  # the round is over
            decided.add(agent)
            if agent == self._agent:
                env.step(action)
            else:
                info = env.infos[agent]
                env.step(self._others[agent].act(agent, self._blank[agent], info))
        if self._agent not in decided:
            raise SimulationError(f"{self._agent} did not decide in the same round as others")
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
        agent = self._agent
        before = self._earned[agent]
        self._decisions[agent] += 1
        try:
            self._env.step(action)
            ended, info = self._play()
        except SimulationError as error:
            self.losses.forgives(error)  # if it lasts, the trainer raises it
            info = {**self._result(), "failure": str(error)}
            return self._observation, 0.0, False, True, info
        reward = self._earned[agent] - before
        terminated = ended and bool(self._terminated)
        return self._observation, reward, terminated, ended and not terminated, info

    def _begin(self, seed: int | None) -> tuple[Any, dict[str, Any]] | None:
        self._env.reset(seed=seed, options=self._options)
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
            if agent == self._agent:
                self._observation = observation
                if not over:
                    return False, {MASK: info[MASK]} if MASK in info else {}
                ended, self._terminated = True, terminated
            if over:
                env.step(None)
                continue
            self._decisions[agent] += 1
            env.step(self._others[agent].act(agent, observation, info))
        return True, self._result()

    def _result(self) -> dict[str, Any]:
        paid = {
            agent: self._game.pay(self._earned[agent], self._decisions[agent])
            for agent in self._game.seats.agents
        }
        return {PAYOFF: paid[self._agent], SCORE: score(paid, self._agent)}
