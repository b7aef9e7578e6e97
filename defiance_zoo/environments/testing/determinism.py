# SPDX-License-Identifier: GPL-2.0-only
"""Determinism, over whole episodes and across processes.

PettingZoo's `seed_test` ends with the first agent, and `parallel_seed_test` after the first step;
this check plays whole episodes.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from defiance_zoo.environments.testing.transcript import Transcript, play

MakeEnv = Callable[[], Any]


def check_deterministic(
    make_env: MakeEnv,
    *,
    seeds: Sequence[int] = (7, 8, 9),
    episodes: int = 2,
    max_turns: int = 10_000,
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
        max_turns: Number of turns or steps after which an episode is left.
        second_process: Play in another process too.

    Raises:
        AssertionError: The environment is not deterministic, or its seeds have no effect.
        ValueError: Fewer than two different seeds.
    """
    if len(set(seeds)) < 2:
        raise ValueError("at least two different seeds are needed")
    first = _play_all(make_env, seeds, episodes, max_turns, twice=True)
    for number, seed in enumerate(seeds):
        _require_equal(first[number], first[len(seeds) + number], f"seed {seed}, played again")
    second = _play_all(make_env, seeds, episodes, max_turns)
    for seed, one, other in zip(seeds, first, second, strict=False):
        _require_equal(one, other, f"seed {seed}, in a second environment")
    if second_process:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            elsewhere = pool.submit(_play_all, make_env, seeds, episodes, max_turns).result()
        for seed, one, other in zip(seeds, first, elsewhere, strict=False):
            _require_equal(one, other, f"seed {seed}, in a second process")
    for number, seed in enumerate(seeds[1:], start=1):
        if seed != seeds[0] and first[number] == first[0]:
            raise AssertionError(f"seeds {seeds[0]} and {seed} give the same episodes")


def _play_all(
    make_env: MakeEnv,
    seeds: Sequence[int],
    episodes: int,
    max_turns: int,
    twice: bool = False,
) -> list[Transcript]:
    env = make_env()
    try:
        order = [*seeds, *seeds] if twice else list(seeds)
        return [play(env, seed, episodes=episodes, max_turns=max_turns) for seed in order]
    finally:
        env.close()


def _require_equal(one: Transcript, other: Transcript, what: str) -> None:
    for turn, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if mine != theirs:
            raise AssertionError(f"{what}: turn {turn} differs:\n  {mine}\n  {theirs}")
    if len(one) != len(other):
        raise AssertionError(f"{what}: {len(one)} turns and {len(other)} turns")
