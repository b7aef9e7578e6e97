# SPDX-License-Identifier: GPL-2.0-only
"""networked_control_v0: its plant, and the states that its predictor expects."""

from __future__ import annotations

import contextlib
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

from defiance_zoo.envs import networked_control_v0
from defiance_zoo.envs.cart_pole.baselines import lqr_gains
from defiance_zoo.envs.networked.baselines import Predictor
from defiance_zoo.experiments.evaluation import NamedPolicy

SPEC = networked_control_v0.SPEC


def play(policy: Any, seed: int, **arguments: Any) -> dict[int, NDArray[Any]]:
    """Play an episode, and return the states that the agent observed, by their step."""
    states = {}
    with contextlib.closing(SPEC.raw_env(link="local", **arguments)) as env:
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
