# SPDX-License-Identifier: GPL-2.0-only
"""What happened in some episodes, in a form that compares exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pettingzoo import AECEnv, ParallelEnv

Transcript = list[tuple[Any, ...]]
"""One entry a turn (AEC) or step (parallel); arrays as their element type, shape and bytes."""


def play(
    env: AECEnv[str, Any, Any] | ParallelEnv[str, Any, Any],
    seed: int,
    *,
    episodes: int = 2,
    max_turns: int = 10_000,
) -> Transcript:
    """Play whole episodes with random actions, and return all that the environment said.

    Args:
        env: A PettingZoo environment.
        seed: For the first episode, and for the actions; the further episodes are not seeded.
        episodes: How many.
        max_turns: An episode is left after so many turns or steps.
    """
    playing = _play_parallel if isinstance(env, ParallelEnv) else _play_aec
    transcript: Transcript = []
    for episode in range(episodes):
        transcript += playing(env, seed, episode, max_turns)
    return transcript


def _play_aec(env: Any, seed: int, episode: int, max_turns: int) -> Transcript:
    env.reset(seed=seed if episode == 0 else None)
    _seed_actions(env, seed + episode)
    transcript: Transcript = []
    for agent in env.agent_iter(max_turns):
        observation, reward, terminated, truncated, info = env.last()
        transcript.append((agent, *map(exact, (observation, reward, terminated, truncated, info))))
        env.step(None if terminated or truncated else env.action_space(agent).sample())
    return transcript


def _play_parallel(env: Any, seed: int, episode: int, max_turns: int) -> Transcript:
    transcript: Transcript = [tuple(map(exact, env.reset(seed=seed if episode == 0 else None)))]
    _seed_actions(env, seed + episode)
    for _ in range(max_turns):
        if not env.agents:
            break
        actions = {agent: env.action_space(agent).sample() for agent in env.agents}
        transcript.append(tuple(map(exact, env.step(actions))))
    return transcript


def _seed_actions(env: Any, seed: int) -> None:
    for number, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seed + number)


def exact(value: Any) -> Any:
    """Return a value in a form whose `==` is exact equality, NaN and sign of zero included."""
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
