# SPDX-License-Identifier: GPL-2.0-only
"""Checks that users run on their own environments: determinism, across processes.

PettingZoo's `seed_test` ends with the first agent, and `parallel_seed_test` after the first step;
this check plays whole episodes.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
from pettingzoo import AECEnv, ParallelEnv

MakeEnv = Callable[[], Any]

_MOST_TURNS = 10_000
"""Turns or steps after which an episode is left."""


def check_deterministic(
    make_env: MakeEnv,
    *,
    seeds: Sequence[int] = (7, 8, 9),
    episodes: int = 2,
    second_process: bool = True,
) -> None:
    """Check that a seed, and nothing else, determines the episodes of an environment.

    For each seed, it plays whole episodes with random actions: in one environment, in a second one,
    in the first one again after all other seeds, and in another Python process. All must be equal;
    different seeds must give different episodes.

    Args:
        make_env: Makes a PettingZoo environment, AEC or parallel; for `second_process` it must be
            picklable, such as a module-level function or a `functools.partial` of one.
        seeds: At least two seeds.
        episodes: Episodes for each seed; only the first is seeded.
        second_process: Play in another process too.

    Raises:
        AssertionError: The environment is not deterministic, or its seeds have no effect.
        ValueError: Fewer than two different seeds.
    """
    if len(set(seeds)) < 2:
        raise ValueError("at least two different seeds are needed")
    first = _play_all(make_env, [*seeds, *seeds], episodes)
    others = {"played again": first[len(seeds) :]}
    others["in a second environment"] = _play_all(make_env, seeds, episodes)
    if second_process:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            elsewhere = pool.submit(_play_all, make_env, seeds, episodes).result()
        others["in a second process"] = elsewhere
    for where, transcripts in others.items():
        for seed, one, other in zip(seeds, first, transcripts, strict=False):
            _require_equal(one, other, f"seed {seed}, {where}")
    for number, seed in enumerate(seeds[1:], start=1):
        if seed != seeds[0] and first[number] == first[0]:
            raise AssertionError(f"seeds {seeds[0]} and {seed} give the same episodes")


def _play_all(make_env: MakeEnv, seeds: Sequence[int], episodes: int) -> list[Transcript]:
    env = make_env()
    try:
        return [play(env, seed, episodes=episodes) for seed in seeds]
    finally:
        env.close()


def _require_equal(one: Transcript, other: Transcript, what: str) -> None:
    for turn, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if mine != theirs:
            raise AssertionError(f"{what}: turn {turn} differs:\n  {mine}\n  {theirs}")
    if len(one) != len(other):
        raise AssertionError(f"{what}: {len(one)} turns and {len(other)} turns")


Transcript = list[tuple[Any, ...]]
"""One entry for each turn (AEC) or step (parallel); arrays as element type, shape and bytes."""


def play(
    env: AECEnv[str, Any, Any] | ParallelEnv[str, Any, Any],
    seed: int,
    *,
    episodes: int = 2,
) -> Transcript:
    """Play whole episodes with random actions, and return all results of the environment.

    Args:
        env: A PettingZoo environment.
        seed: Seed of the first episode and of the actions; the other episodes are not seeded.
        episodes: Number of episodes.
    """
    playing = _play_parallel if isinstance(env, ParallelEnv) else _play_aec
    transcript: Transcript = []
    for episode in range(episodes):
        transcript += playing(env, seed, episode)
    return transcript


def _play_aec(env: Any, seed: int, episode: int) -> Transcript:
    env.reset(seed=seed if episode == 0 else None)
    draw = _Actions(env, seed + episode).draw
    transcript: Transcript = []
    for agent in env.agent_iter(_MOST_TURNS):
        observation, reward, terminated, truncated, info = env.last()
        transcript.append((agent, *map(exact, (observation, reward, terminated, truncated, info))))
        env.step(None if terminated or truncated else draw(agent))
    return transcript


def _play_parallel(env: Any, seed: int, episode: int) -> Transcript:
    transcript: Transcript = [tuple(map(exact, env.reset(seed=seed if episode == 0 else None)))]
    draw = _Actions(env, seed + episode).draw
    for _ in range(_MOST_TURNS):
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
