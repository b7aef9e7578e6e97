# SPDX-License-Identifier: GPL-2.0-only
"""The boards of plants behind a network: plants, and the states that predictors expect."""

from __future__ import annotations

import contextlib
import copy
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

from defiance_zoo.envs import networked_cheetah_v0, networked_control_v0, networked_spread_v0
from defiance_zoo.envs.cart_pole.baselines import lqr_gains
from defiance_zoo.envs.networked.baselines import (
    Assignment,
    Gait,
    Particle,
    PredictedAssignment,
    Predictor,
)
from defiance_zoo.experiments.evaluation import NamedPolicy

SPEC = networked_control_v0.SPEC


def play(policy: Any, seed: int, spec: Any = SPEC, **arguments: Any) -> dict[int, NDArray[Any]]:
    """Play an episode, and return the states that the last agent observed, by their step."""
    states = {}
    with contextlib.closing(spec.raw_env(link="local", **arguments)) as env:
        env.reset(seed=seed)
        policy.reset()
        for agent in env.agent_iter():
            observation, _, terminated, truncated, info = env.last()
            states[info["tick"]] = np.array(observation)
            ended = terminated or truncated
            env.step(None if ended else policy.act(agent, observation, info))
    return states


@pytest.mark.parametrize("policy", ["pole", "state_feedback", "predictor"])
def test_without_a_network_the_board_is_gymnasiums_cart_pole(policy: str) -> None:
    with contextlib.closing(SPEC.raw_env(link="local", over="simple")) as env:
        chosen = NamedPolicy(policy).make(SPEC, env, 1)
    plain = gymnasium.make("CartPole-v1")
    observation, _ = plain.reset(seed=3)
    expected, ended = [observation], False
    while not ended:
        action = chosen.act("agent_0", observation, {"tick": len(expected) - 1, "age": 0.0})
        observation, _, terminated, truncated, _ = plain.step(action)
        expected.append(observation)
        ended = terminated or truncated
    states = play(chosen, 3, over="simple")
    assert len(expected) == 501  # each of them balances the pole
    np.testing.assert_array_equal([states[n] for n in range(500)], expected[:500])


@pytest.mark.parametrize("delay", ["0ms", "13ms", "20ms", "35ms", "60ms"])
def test_the_predictor_expects_the_state_in_which_its_push_is_used(delay: str) -> None:
    expected: dict[int, NDArray[Any]] = {}

    class Noting(Predictor):
        def predict(self, agent: str, state: NDArray[Any], info: dict[str, Any]) -> NDArray[Any]:
            found = super().predict(agent, state, info)
            steps = np.ceil(2 * info["age"] / 0.02 - 1e-9)
            expected[int(info["tick"] + max(steps, 1) - 1)] = found
            return found

    states = play(Noting(lqr_gains()), 5, over="simple", delay=delay, decide="clock", duration="2s")
    both = sorted(expected.keys() & states.keys())
    assert len(both) > 5
    for step in both:
        np.testing.assert_allclose(expected[step], states[step], atol=1e-4, err_msg=str(step))


@pytest.mark.parametrize("policy", ["state_feedback", "predictor"])
def test_rules_read_the_newest_state_of_a_window(policy: str) -> None:
    lengths = []
    for window in (1, 4):
        with contextlib.closing(
            SPEC.raw_env(link="local", delay="30ms", window=window, duration="2s")
        ) as env:
            chosen = NamedPolicy(policy).make(SPEC, env, 1)
            env.reset(seed=2)
            chosen.reset()
            total = 0.0
            for agent in env.agent_iter():
                observation, reward, terminated, truncated, info = env.last()
                total += reward
                ended = terminated or truncated
                env.step(None if ended else chosen.act(agent, observation, info))
        lengths.append(total)
    assert lengths[0] == lengths[1] > 50


def return_of(spec: Any, policy: Any, seed: int, **arguments: Any) -> float:
    """Return the agents' mean return in an episode."""
    with contextlib.closing(spec.parallel_env(link="local", **arguments)) as env:
        observations, infos = env.reset(seed=seed)
        count = len(env.agents)
        policy.reset()
        total = 0.0
        while env.agents:
            actions = {
                agent: policy.act(agent, seen, infos[agent]) for agent, seen in observations.items()
            }
            observations, rewards, _, _, infos = env.step(actions)
            total += sum(rewards.values()) / count
    return total


SPREAD = networked_spread_v0.SPEC


def test_without_a_network_the_particles_are_those_of_mpe2() -> None:
    from mpe2 import simple_spread_v3

    for seed in range(3):
        plain = simple_spread_v3.parallel_env(N=2)
        observations, _ = plain.reset(seed=seed)
        rule, expected, tick = Assignment(), 0.0, 0
        while plain.agents:
            info = {"tick": tick, "age": 0.0}
            actions = {agent: rule.act(agent, o, info) for agent, o in observations.items()}
            observations, rewards, _, _, _ = plain.step(actions)
            expected += sum(rewards.values()) / len(rewards)
            tick += 1
        assert return_of(SPREAD, Assignment(), seed, over="simple") == expected > -20


@pytest.mark.parametrize("delay", ["0ms", "60ms", "100ms", "170ms"])
def test_the_predictor_expects_the_place_in_which_a_push_is_used(delay: str) -> None:
    expected: dict[int, NDArray[Any]] = {}

    class Noting(PredictedAssignment):
        def predict(self, agent: str, particle: Particle, info: dict[str, Any]) -> Particle:
            found = super().predict(agent, particle, info)
            expected[self._sent.step_of(info) - 1] = np.hstack([found.velocity, found.landmarks[0]])
            return found

    alone = {"plant_arguments": '{"N": 1}', "over": "simple", "decide": "clock"}
    states = play(Noting(), 5, SPREAD, delay=delay, **alone)
    both = sorted(expected.keys() & states.keys())
    assert len(both) > 15
    for step in both:
        np.testing.assert_allclose(expected[step], states[step][[0, 1, 4, 5]], atol=1e-5)


def test_a_prediction_is_worth_more_than_the_newest_place_when_it_is_late() -> None:
    late = {"over": "simple", "delay": "160ms", "decide": "clock"}
    returns = [
        sum(return_of(SPREAD, rule, seed, **late) for seed in range(10))
        for rule in (Assignment(), PredictedAssignment())
    ]
    assert returns[0] < returns[1]


@pytest.mark.parametrize("late", [{"over": "simple"}, {"delay": "60ms", "window": 4}])
def test_the_half_cheetah_runs_by_its_gait(late: dict[str, Any]) -> None:
    cheetah = networked_cheetah_v0.SPEC
    steps = {"plant_arguments": '{"max_episode_steps": 200}'}
    constant = Gait()
    constant.torques = np.zeros(6)
    assert return_of(cheetah, constant, 1, **late, **steps) < 100
    assert return_of(cheetah, Gait(), 1, **late, **steps) > 600


def test_a_specification_keeps_copies_of_mappings_and_can_be_copied() -> None:
    """RLlib copies the specifications in its configurations, and mapping proxies cannot be."""
    given = dict(SPEC.baselines)
    spec = replace(SPEC, baselines=MappingProxyType(given), graphs=MappingProxyType({}))
    given.clear()
    assert set(spec.baselines) == {"pole", "state_feedback", "predictor"}
    assert copy.deepcopy(spec).baselines.keys() == spec.baselines.keys()
