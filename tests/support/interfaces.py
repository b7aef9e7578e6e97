# SPDX-License-Identifier: GPL-2.0-only
"""The interfaces of an environment, with the same functions to play them."""

from __future__ import annotations

from typing import Any

import numpy as np
from pettingzoo import AECEnv

from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.environments.testing import Transcript, exact
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

INTERFACES = ["aec", "parallel", "gymnasium"]


def make(spec: EnvironmentSpec, interface: str, **arguments: Any) -> Any:
    """Make an environment with this interface."""
    if interface == "gymnasium":
        return GymnasiumEnv(spec, **arguments)
    return getattr(spec, {"aec": "raw_env", "parallel": "parallel_env"}[interface])(**arguments)


def play_on(env: Any, seed: int, turns: int = 10_000) -> Transcript:
    """Continue with random actions, at most to the end, and return all results."""
    play = _play_parallel
    if isinstance(env, GymnasiumEnv):
        play = _play_gymnasium
    elif isinstance(env, AECEnv):
        play = _play_aec
    return play(env, np.random.default_rng(seed), turns)


def _draw(space: Any, rng: np.random.Generator) -> Any:
    """Draw an action, independent of earlier draws from this space."""
    space.seed(int(rng.integers(2**31)))
    return space.sample()


def _play_gymnasium(env: Any, rng: np.random.Generator, turns: int) -> Transcript:
    reported: Transcript = []
    while len(reported) < turns and not (reported and (reported[-1][2] or reported[-1][3])):
        reported.append(tuple(map(exact, env.step(_draw(env.action_space, rng)))))
    return reported


def _play_aec(env: Any, rng: np.random.Generator, turns: int) -> Transcript:
    reported: Transcript = []
    while env.agents and len(reported) < turns:
        agent = env.agent_selection
        dead = env.terminations[agent] or env.truncations[agent]
        reported.append((agent, *map(exact, env.last())))
        env.step(None if dead else _draw(env.action_space(agent), rng))
    return reported


def _play_parallel(env: Any, rng: np.random.Generator, turns: int) -> Transcript:
    reported: Transcript = []
    while env.agents and len(reported) < turns:
        actions = {agent: _draw(env.action_space(agent), rng) for agent in env.agents}
        reported.append(tuple(map(exact, env.step(actions))))
    return reported


def compare_with_uninterrupted(
    spec: EnvironmentSpec, interface: str, *, before: int = 6, **arguments: Any
) -> None:
    """Compare play with and without a detour after some turns, through one more episode."""
    env = make(spec, interface, **arguments)
    plain = make(spec, interface, **arguments)
    for each in (env, plain):
        each.reset(seed=1)
    assert play_on(env, seed=1, turns=before) == play_on(plain, seed=1, turns=before)
    assert env._episodes.launcher.simulation is not None, (
        f"the episode is over within {before} turns: lengthen the episodes of `short`, for example "
        "by `duration` or `max_cycles`"
    )
    snapshot = env.snapshot()
    one = play_on(env, seed=2)
    env.restore(snapshot)
    assert play_on(env, seed=3) != one, (
        "other actions give the same results: set `short` and `eventful` to arguments with which "
        "actions have an effect"
    )
    env.restore(snapshot)
    assert play_on(env, seed=2) == one
    env.restore(snapshot)
    assert play_on(env, seed=4) == play_on(plain, seed=4)
    for each in (env, plain):
        each.reset()
    assert play_on(env, seed=5) == play_on(plain, seed=5)
    env.close()
    plain.close()
