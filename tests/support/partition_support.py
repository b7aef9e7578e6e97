# SPDX-License-Identifier: GPL-2.0-only
"""Functions with which tests play partition_v0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from defiance_zoo.environments import SimulationAECEnv
from defiance_zoo.envs.partition.actions import Actions

CHECKERS_WARN = [
    # At the beginning nothing has happened, and most features are 0.
    pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros"),
    # A dict with a mask is what PettingZoo's own documentation recommends.
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
]
"""Marks of tests that call checkers: ignored warnings."""

Choose = Callable[[dict[str, Any]], int]


def draw(seed: int) -> Choose:
    """Return a policy that chooses any allowed action."""
    rng = np.random.default_rng(seed)
    return lambda info: int(rng.choice(np.flatnonzero(info["action_mask"])))


def keep(_info: dict[str, Any]) -> int:
    """Keep the partition."""
    return 0


def request(info: dict[str, Any]) -> int:
    """Hand over each request as soon as possible, and inject no fault."""
    mask = info["action_mask"]
    last = len(mask) - 1
    return last if mask[last] else 0


def follow(
    env: SimulationAECEnv, choose: Choose, seed: int | None = 1
) -> Iterator[tuple[dict[str, Any], int | None]]:
    """Play an episode; yield each info with the chosen action, None at the end."""
    env.reset(seed=seed)
    while env.agents:
        _, _, terminated, truncated, info = env.last()
        action = None if terminated or truncated else choose(info)
        yield info, action
        env.step(action)


def hashes(env: SimulationAECEnv, choose: Choose, seed: int = 1) -> list[tuple[str, str]]:
    """Play an episode, and return the hashes of its states."""
    told = follow(env, choose, seed)
    return [(info["state_hash"], info["concrete_hash"]) for info, _ in told]


def branches(env: SimulationAECEnv) -> list[list[str]]:
    """Return the hashes of two equal ends of an episode, from a snapshot after eight steps."""
    env.reset(seed=1)
    choose, told = draw(3), []
    for _ in range(8):
        env.step(choose(env.last()[4]))
    snapshot = env.snapshot()
    for _ in range(2):
        env.restore(snapshot)
        choose, branch = draw(5), []
        while env.agents:
            *_, terminated, truncated, info = env.last()
            branch.append(info["concrete_hash"])
            env.step(None if terminated or truncated else choose(info))
        told.append(branch)
    return told


def partition(info: dict[str, Any], *blocks: set[int]) -> int:
    """Return the action that divides replicas into blocks, if each has a different colour.

    Args:
        info: Info of the step in which the action is taken.
        *blocks: Numbers of replicas.
    """
    slots = [int(replica) for replica in info["slots"]]
    actions = Actions(len(slots))
    wanted = {frozenset(block) for block in blocks}
    for index in range(len(actions)):
        found: dict[int, set[int]] = {}
        for replica, block in zip(slots, actions[index].blocks, strict=False):
            found.setdefault(block, set()).add(replica)
        if set(map(frozenset, found.values())) == wanted:
            return index
    raise AssertionError(f"no action creates {blocks}")


LIARS: dict[str, Any] = {"painter": "id", "with_byzantine": True, "max_byzantine": 2, "horizon": 40}
"""Arguments with which Tendermint violates its guarantees."""


def lie(*, detours: bool = False) -> Choose:
    """Return a policy that leads Tendermint with `LIARS` to a violation of agreement.

    Args:
        detours: Before that, take many steps that do not contribute.
    """
    before = [
        lambda info: partition(info, {1, 2}, {3}, {4}),
        lambda info: 16 + list(info["slots"]).index(4),  # stop it
        keep,
        lambda info: 20 + list(info["slots"]).index(4),  # start it
        lambda info: partition(info, {1, 4}, {2, 3}),
        keep,
        lambda info: partition(info, {1, 2, 3, 4}),
        keep,
    ]
    steps = iter(before if detours else [])
    liars = iter((1, 2))

    def choose(info: dict[str, Any]) -> int:
        for step in steps:
            return step(info)
        for liar in liars:
            return 25 + list(info["slots"]).index(liar)
        return 24 if info["pending_requests"] > 15 else 0

    return choose
