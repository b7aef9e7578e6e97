# SPDX-License-Identifier: GPL-2.0-only
"""Transcripts of episodes, in a form that compares exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pettingzoo import AECEnv, ParallelEnv

Transcript = list[tuple[Any, ...]]
"""One entry for each turn (AEC) or step (parallel); arrays as element type, shape and bytes."""


def play(
    env: AECEnv[str, Any, Any] | ParallelEnv[str, Any, Any],
    seed: int,
    *,
    episodes: int = 2,
    max_turns: int = 10_000,
) -> Transcript:
    """Play whole episodes with random actions, and return all results of the environment.

    Args:
        env: A PettingZoo environment.
        seed: Seed of the first episode and of the actions; the other episodes are not seeded.
        episodes: Number of episodes.
        max_turns: An episode is left after so many turns or steps.
    """
    playing = _play_parallel if isinstance(env, ParallelEnv) else _play_aec
    transcript: Transcript = []
    for episode in range(episodes):
        transcript += playing(env, seed, episode, max_turns)
    return transcript


def _play_aec(env: Any, seed: int, episode: int, max_turns: int) -> Transcript:
    env.reset(seed=seed if episode == 0 else None)
    draw = _Actions(env, seed + episode).draw
    transcript: Transcript = []
    for agent in env.agent_iter(max_turns):
        observation, reward, terminated, truncated, info = env.last()
        transcript.append((agent, *map(exact, (observation, reward, terminated, truncated, info))))
        env.step(None if terminated or truncated else draw(agent))
    return transcript


def _play_parallel(env: Any, seed: int, episode: int, max_turns: int) -> Transcript:
    transcript: Transcript = [tuple(map(exact, env.reset(seed=seed if episode == 0 else None)))]
    draw = _Actions(env, seed + episode).draw
    for _ in range(max_turns):
        if not env.agents:
            break
        actions = {agent: draw(agent) for agent in env.agents}
        transcript.append(tuple(map(exact, env.step(actions))))
    return transcript


class _Actions:
    """Random actions of the agents of an episode, later ones included."""

    def __init__(self, env: Any, seed: int) -> None:
        self._env, self._seed = env, seed
        self._seeded: set[str] = set()

    def draw(self, agent: str) -> Any:
        """Draw an action that does not depend on earlier episodes."""
        space = self._env.action_space(agent)
        if agent not in self._seeded:
            self._seeded.add(agent)
            space.seed(self._seed + self._env.possible_agents.index(agent))
        return space.sample()


def exact(value: Any) -> Any:
    """Return a value in a form that `==` compares exactly, NaN and the sign of zero included."""
    if isinstance(value, np.ndarray) and value.dtype == np.object_:
        return ("object", value.shape, [exact(each) for each in value.ravel()])
    if isinstance(value, np.ndarray | np.generic):
        return (str(value.dtype), value.shape, value.tobytes())
    if isinstance(value, float):
        return ("float", value.hex())
    if isinstance(value, Mapping):
        return {key: exact(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [exact(item) for item in value]
    return value
