# SPDX-License-Identifier: GPL-2.0-only
"""Values that a caller changes after a call change neither the simulation nor later results."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import supersuit
from conftest import TRIAL
from interfaces import make as make_bare
from reused_buffers import EPISODE, KINDS, Caller, compare_callers, draw_actions, overwrite

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.environments.testing import exact
from defiance_zoo.recording import find_episodes, read_recording

SPEC = EnvironmentSpec("trial_v0", TRIAL)
STEPS = 6


def play_aec(env: Any, caller: Caller) -> None:
    env.reset(seed=1, options={"interval": "1ms"})
    actions = {each: draw_actions(env.action_space(each), STEPS) for each in env.agents}
    for agent in env.agent_iter(4 * STEPS):
        caller.take([env.last(), env.observe(agent)])
        caller.take([env.last(), env.observe(agent)])
        _, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        env.step(None if over else caller.give(next(actions[agent]), agent[-1:]))
        caller.take(None)


def play_parallel(env: Any, caller: Caller) -> None:
    caller.take(env.reset(seed=1))
    actions = {each: draw_actions(env.action_space(each), STEPS) for each in env.agents}
    while env.agents:
        caller.take(env.step(caller.give({agent: next(actions[agent]) for agent in env.agents})))
        caller.take({agent: env.observe(agent) for agent in env.possible_agents})


def play_gymnasium(env: Any, caller: Caller) -> None:
    caller.take(env.reset(seed=1))
    for action in draw_actions(env.action_space, STEPS):
        result = env.step(caller.give(action))
        over = result[2] or result[3]
        caller.take(result)
        if over:
            break


def play_vector(env: Any, caller: Caller) -> None:
    caller.take(env.reset(seed=1))
    for action in draw_actions(env.action_space, STEPS):
        caller.take(env.step(caller.give(action)))


def play_asynchronous(env: Any, caller: Caller) -> None:
    env.async_reset(seed=1)
    caller.take(env.recv())
    for action in draw_actions(env.action_space, STEPS):
        env.send(caller.give(action))
        caller.take(None)
        caller.take(env.recv())


def to_supersuit(**arguments: Any) -> Any:
    return supersuit.pettingzoo_env_to_vec_env_v1(SPEC.parallel_env(**arguments))


def play_supersuit(env: Any, caller: Caller) -> None:
    caller.take(env.reset(seed=1))
    for action in draw_actions(env.action_space, STEPS // 2):
        caller.take(env.step(caller.give(np.array([action, action]))))


_OF_SEVERAL = ("simultaneous", "parallel", "multi-agent vector", "supersuit")
Play = Callable[[Any, Caller], None]
INTERFACES: dict[str, tuple[Callable[..., Any], Play, list[str]]] = {
    "aec": (SPEC.env, play_aec, ["each"]),
    "simultaneous": (partial(SPEC.env, rounds="simultaneous"), play_aec, ["each", "matrix"]),
    "parallel": (SPEC.parallel_env, play_parallel, ["each", "nested"]),
    "gymnasium": (partial(make_bare, SPEC, "gymnasium"), play_gymnasium, KINDS),
    "vector": (partial(SPEC.vector_env, 2), play_vector, KINDS),
    "same-step vector": (
        partial(SPEC.vector_env, 2, autoreset_mode="SameStep"),
        play_vector,
        ["every", "matrix"],
    ),
    "view vector": (partial(SPEC.vector_env, 2, copy=False), play_vector, ["nested", "wide"]),
    "asynchronous vector": (partial(SPEC.vector_env, 1), play_asynchronous, ["every", "discrete"]),
    "multi-agent vector": (
        partial(SPEC.multi_agent_vector_env, 2),
        play_vector,
        ["discrete", "matrix", "nested"],
    ),
    "supersuit": (to_supersuit, play_supersuit, ["matrix"]),
}


@pytest.mark.parametrize("interface", INTERFACES)
def test_reused_and_overwritten_buffers_are_like_fresh_values(interface: str) -> None:
    make, play, kinds = INTERFACES[interface]
    for kind in kinds:
        agents = len(KINDS) if kind == "each" else 2 if interface in _OF_SEVERAL else 1
        with contextlib.closing(make(space=kind, agents=agents, **EPISODE)) as env:
            taken = compare_callers(partial(play, env))
        assert len({repr(each) for each in taken}) > STEPS // 2, kind  # the actions arrive


def test_an_action_of_a_half_decided_round_survives_its_buffer() -> None:
    env = SPEC.raw_env(agents=2, space="nested", rounds="simultaneous", **EPISODE)
    env.reset(seed=1)
    first, second = draw_actions(env.action_space("agent_0"), 2)
    caller = Caller(reuses=True)
    env.step(caller.give(first))
    snapshot = env.snapshot()
    branch = env.branch()
    caller.take(env.last())
    env.step(second)
    env.restore(snapshot)
    for each in (env, branch):
        each.step(second)
        assert exact(each.observe("agent_0")) == exact(first)
        each.close()


def test_parameters_and_options_are_copied() -> None:
    defaults: dict[str, Any] = {"size": 2}
    spec = EnvironmentSpec("trial_v0", Scenario("trial", TRIAL.program, defaults=defaults))
    sizes: dict[str, Any] = {"choice": [3, 3]}
    env = spec.parallel_env(agents={"choice": [2, 2]}, size=sizes, link="local")
    defaults["size"], sizes["choice"][:] = 9, [8, 8]
    twin = copy.deepcopy(env)
    for each in (env, twin):
        observations, _ = each.reset(seed=1)
        assert observations["agent_0"].shape == (3,)
        overwrite(each.drawn_parameters)
        assert each.drawn_parameters == {"agents": 2, "size": 3}
        each.close()
    vector = spec.vector_env(2, resumable=True)
    options = {"interval": "5ms", "unknown": [1]}
    vector.reset(seed=1, options=options)
    options["interval"], options["unknown"] = "7ms", [2]
    state = vector.state_dict()
    state["simulations"][0]["options"]["interval"] = "9ms"
    assert vector.state_dict()["simulations"][1]["options"]["interval"] == "5ms"
    assert vector.state_dict()["simulations"][0]["options"]["interval"] == "5ms"
    vector.close()
    assert vector.single_observation_space.shape == (2,)


@pytest.mark.parametrize("interface", ["parallel", "gymnasium"])
def test_a_recording_keeps_the_values_of_each_call(interface: str, tmp_path: Path) -> None:
    make, play, _ = INTERFACES[interface]
    recorded = []
    for reuses in (False, True):
        folder = tmp_path / str(reuses)
        with contextlib.closing(make(space="every", record=folder, **EPISODE)) as env:
            play(env, Caller(reuses=reuses))
        (path,) = find_episodes(folder)
        recorded.append(exact(read_recording(path).rounds))
    assert recorded[0] == recorded[1]


def test_a_picture_keeps_the_shown_action() -> None:
    env = SPEC.parallel_env(agents=2, space="matrix", render_mode="ansi", **EPISODE)
    env.reset(seed=1)
    action = np.zeros((2, 3))
    env.step({"agent_0": action, "agent_1": action.copy()})
    shown = env.render()
    action[:] = 1
    assert env.render() == shown
    env.close()
