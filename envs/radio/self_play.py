# SPDX-License-Identifier: GPL-2.0-only
"""Simultaneous games of two players: play by mixtures, and learning in self-play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.environments import EnvironmentSpec, SimulationParallelEnv

Floats = NDArray[np.float64]
Mixtures = tuple[Floats, Floats]
"""Probabilities of the actions of agent_0 and of agent_1."""


class FictitiousPlayer:
    """Learns by fictitious play, from its rewards and its observations of the other side.

    It has `actions` actions, and the other side has `others`.

    It plays uniformly until it knows the reward of each pair of actions. Then it plays the best
    action against the mean strategy of the other side since (Brown, 1951). If both sides of a
    zero-sum game do so, their mean strategies tend to an equilibrium (Robinson, 1951), while their
    actions cycle.
    """

    def __init__(self, actions: int, others: int) -> None:
        self._sums = np.zeros((actions, others))
        self._counts = np.zeros((actions, others))
        self._own, self._other = np.zeros(actions), np.zeros(others)

    @property
    def knows_all(self) -> bool:
        """Whether each pair of actions has been played."""
        return bool(self._counts.all())

    @property
    def mixture(self) -> Floats:
        """Mean strategy so far, shape (actions,)."""
        total = self._own.sum()
        return self._own / total if total > 0 else np.full(len(self._own), 1 / len(self._own))

    def act(self, draw: np.random.Generator) -> int:
        """Return an action."""
        if not self.knows_all:
            return int(draw.integers(len(self._own)))
        earned = (self._sums / self._counts) @ self._other
        return int(draw.choice(np.flatnonzero(earned >= earned.max() - 1e-9)))

    def learn(self, action: int, other: int, reward: float) -> None:
        """Add the reward of an action against an action of the other side."""
        if self.knows_all:
            self._own[action] += 1
            self._other[other] += 1
        self._sums[action, other] += reward
        self._counts[action, other] += 1


def learn(
    spec: EnvironmentSpec, *, slots: int, seed: int = 0, episode: int = 500, **arguments: Any
) -> Mixtures:
    """Return the mean strategies of two fictitious players that play each other.

    Args:
        spec: Specification of the environment, with an agent for each of two players.
        slots: Total number of slots.
        seed: Seed of random choices.
        episode: Slots of an episode, of 1 ms each.
        **arguments: Arguments of the environment.
    """
    draw = np.random.default_rng(seed)
    with _Game(spec, min(slots, episode), arguments) as game:
        sizes = [int(space.n) for space in game.spaces]
        players = [FictitiousPlayer(*sizes), FictitiousPlayer(*reversed(sizes))]
        for _ in range(slots):
            actions = [player.act(draw) for player in players]
            rewards, sensed = game.play(actions)
            for number, player in enumerate(players):
                player.learn(actions[number], sensed[number], rewards[number])
    return players[0].mixture, players[1].mixture


def play(
    spec: EnvironmentSpec,
    mixtures: Mixtures,
    *,
    slots: int,
    seed: int = 0,
    episode: int = 500,
    **arguments: Any,
) -> Floats:
    """Return the rewards of agent_0 in each slot, shape (slots,), for mixtures; see `learn`."""
    draw = np.random.default_rng(seed)
    choices = [draw.choice(len(mixture), slots, p=mixture).tolist() for mixture in mixtures]
    with _Game(spec, min(slots, episode), arguments) as game:
        return np.array([game.play(actions)[0][0] for actions in zip(*choices, strict=True)])


class _Game:
    """Episodes of two agents, one after the other."""

    def __init__(self, spec: EnvironmentSpec, slots: int, arguments: dict[str, Any]) -> None:
        given = {"link": "local", "duration": f"{slots}ms", **arguments}
        self._env: SimulationParallelEnv = spec.parallel_env(**given)
        self._episodes = 0

    def __enter__(self) -> _Game:
        return self

    def __exit__(self, *_error: object) -> None:
        self._env.close()

    @property
    def spaces(self) -> list[Any]:
        """Action spaces of both."""
        return [self._env.action_space(agent) for agent in self._env.possible_agents]

    def play(self, actions: Sequence[int]) -> tuple[list[float], list[int]]:
        """Return the rewards of both in a slot, and the channel that each has sensed."""
        if not self._env.agents:
            self._env.reset(seed=self._episodes)
            self._episodes += 1
        agents = list(self._env.agents)
        _, rewards, _, _, infos = self._env.step(dict(zip(agents, actions, strict=True)))
        sensed = [int(np.argmax(infos[agent]["energy"])) for agent in agents]
        return [rewards[agent] for agent in agents], sensed
