# SPDX-License-Identifier: GPL-2.0-only
"""channel_rps_v0: its payoffs, from ns-3, equal rock, paper, scissors; checkers."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from conformance import Conformance, SingleAgentConformance

from defiance_zoo.envs import channel_rps_v0
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import baselines
from defiance_zoo.population import NormalForm, solve

Arguments = dict[str, Any]

# Before the first slot nothing has been measured.
pytestmark = pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros")


class Short:
    """Arguments that keep episodes short."""

    spec = channel_rps_v0.SPEC
    short: ClassVar[Arguments] = {"duration": "25ms"}


@pytest.mark.parametrize("arguments", [pytest.param({}, id="local")])
class TestTwoAgents(Short, Conformance):
    """An agent for each link."""


@pytest.mark.parametrize("arguments", [pytest.param({"opponent": "sensing"}, id="sensing")])
class TestOneAgent(Short, SingleAgentConformance):
    """An agent against an opponent without one."""


@pytest.fixture(scope="module")
def played() -> list[tuple[Any, Any, Any]]:
    """The observations, rewards and infos of each pair of settings."""
    env = channel_rps_v0.parallel_env(link="local", duration="9ms")
    env.reset(seed=1)
    steps = []
    for own in range(3):
        for other in range(3):
            seen, rewards, _, _, infos = env.step({"agent_0": own, "agent_1": other})
            steps.append((seen, rewards, infos))
    env.close()
    return steps


def test_payoffs_are_cyclic(played: list[tuple[Any, Any, Any]]) -> None:
    """Setting i beats i + 1, and is beaten by i - 1; the game is zero-sum and symmetric."""
    payoffs = np.reshape([rewards["agent_0"] for _, rewards, _ in played], (3, 3))
    others = np.reshape([rewards["agent_1"] for _, rewards, _ in played], (3, 3))
    assert payoffs.tolist() == [[0, 1, -1], [-1, 0, 1], [1, -1, 0]]
    assert (others == -payoffs).all()
    assert (payoffs == -payoffs.T).all()


def test_the_only_equilibrium_is_uniform(played: list[tuple[Any, Any, Any]]) -> None:
    payoffs = np.reshape([rewards["agent_0"] for _, rewards, _ in played], (3, 3))
    (mixture,) = solve(NormalForm.symmetric(payoffs))
    assert mixture == pytest.approx([1 / 3, 1 / 3, 1 / 3], abs=1e-9)


def test_each_agent_senses_the_other(played: list[tuple[Any, Any, Any]]) -> None:
    for slot, (seen, _, infos) in enumerate(played):
        own, other = divmod(slot, 3)
        assert np.flatnonzero(seen["agent_0"]).tolist() == [other]
        assert np.flatnonzero(seen["agent_1"]).tolist() == [own]
        assert infos["agent_0"]["role"] == infos["agent_1"]["role"] == "radio"
        lost = (other + 1) % 3 == own
        assert infos["agent_0"]["success"] == (not lost)


def test_a_sensed_opponent_can_be_predicted_and_beaten() -> None:
    env = channel_rps_v0.raw_env(link="local", opponent="sensing", duration="50ms")
    totals = {}
    for name, policy in baselines(channel_rps_v0.SPEC, env, 1).items():
        env.reset(seed=1)
        totals[name] = 0.0
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            totals[name] += reward
            ended = terminated or truncated
            env.step(None if ended else policy.act(agent, observation, info))
    env.close()
    # The opponent beats the last setting i with i - 1; the next one of the cycle beats that.
    assert totals["cycle"] > 45
    assert abs(totals["random"]) < 25


def test_bad_parameters_are_refused() -> None:
    for arguments, words in (
        ({"placement": "central"}, "placement.*local.*remote"),
        ({"channels": 4}, "no parameter|channels"),
        ({"slot": "2s"}, "slot"),
    ):
        with pytest.raises(ParameterError, match=words):
            channel_rps_v0.raw_env(**arguments).reset()
