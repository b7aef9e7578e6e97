# SPDX-License-Identifier: GPL-2.0-only
"""Known results of jamming_v0: values of its games, by mixtures, linear programs and self-play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from payoffs import of_two
from scipy import stats

from defiance_zoo.envs import jamming_v0
from defiance_zoo.envs.jamming.mixtures import equalise
from defiance_zoo.envs.radio import self_play
from defiance_zoo.population import solve

Floats = np.ndarray[Any, Any]
UNEQUAL: list[dict[str, Any]] = [
    {"bandwidths": "9,6,4"},
    {"path_losses": "0,36,38,34", "channels": 4},
    {"bandwidths": "10,9,8,1", "channels": 4},  # the last channel is worth less than the game
]


def measure(**arguments: Any) -> Floats:
    """Return the goodput of each pair of channels in Mb/s, shape (channels, channels)."""
    count = int(arguments.get("channels", 3))
    env = jamming_v0.parallel_env(link="local", duration=f"{count * count}ms", **arguments)
    env.reset(seed=1)
    goodputs = []
    for sent in range(count):
        for jammed in range(count):
            *_, infos = env.step({"agent_0": sent, "agent_1": jammed})
            goodputs.append(infos["agent_0"]["goodput"])
    env.close()
    return np.reshape(goodputs, (count, count))


def interval(samples: Floats) -> tuple[float, float]:
    """Return the 99.9 % confidence interval of a mean."""
    error = stats.sem(samples)
    low, high = stats.t.interval(0.999, len(samples) - 1, np.mean(samples), error)
    return float(low), float(high)


def test_published_mixtures_have_the_published_values() -> None:
    """The values are 54, 36 and 24 Mb/s."""
    played = equalise([54, 36, 24])
    assert played.transmitter == pytest.approx([0.2105, 0.3158, 0.4737], abs=1e-4)
    assert played.jammer == pytest.approx([0.579, 0.368, 0.053], abs=1e-3)
    assert played.value == pytest.approx(22.74, abs=0.005)


@pytest.mark.parametrize("arguments", UNEQUAL, ids=lambda each: next(iter(each.values())))
def test_measured_goodputs_give_the_closed_form_solution(arguments: dict[str, Any]) -> None:
    """The linear program of measured goodputs gives the mixtures and the value in closed form."""
    payoffs = measure(**arguments)
    values = payoffs.max(axis=1)
    assert (np.diag(payoffs) == 0).all()
    assert len(set(values)) > 1
    played = equalise(values)
    game = of_two(payoffs)
    transmitter, jammer = solve(game)
    assert game.values((transmitter, jammer))[0] == pytest.approx(played.value)
    assert transmitter == pytest.approx(played.transmitter, abs=1e-6)
    assert jammer == pytest.approx(played.jammer, abs=1e-6)


@pytest.mark.parametrize("arguments", UNEQUAL, ids=lambda each: next(iter(each.values())))
def test_payoffs_under_the_mixtures_equal_the_value_of_the_game(arguments: dict[str, Any]) -> None:
    values = measure(**arguments).max(axis=1)
    played = equalise(values / values.max())  # the values in the rewards
    mixtures = (played.transmitter, played.jammer)
    rewards = self_play.play(jamming_v0.SPEC, mixtures, slots=2000, seed=1, **arguments)
    low, high = interval(rewards)
    assert low < played.value < high
    assert high - low < 0.25 * played.value


@pytest.mark.parametrize("channels", [2, 4, 8])
def test_uniform_play_succeeds_on_all_channels_but_one(channels: int) -> None:
    """(C - 1) / C within 0.02."""
    uniform = np.full(channels, 1 / channels)
    rewards = self_play.play(
        jamming_v0.SPEC, (uniform, uniform), slots=4000, seed=channels, channels=channels
    )
    assert abs(np.mean(rewards > 0) - (channels - 1) / channels) < 0.02


def test_a_jammer_with_a_budget_hits_proportionally_less() -> None:
    """With energy for half of the slots, 1 - 1 / (2 C)."""
    env = jamming_v0.parallel_env(link="local", channels=3, budget=0.5, duration="2s")
    env.reset(seed=1)
    draw = np.random.default_rng(1)
    rewards = []
    while env.agents:
        actions = {agent: int(draw.integers(3)) for agent in env.agents}
        _, earned, *_ = env.step(actions)
        rewards.append(earned["agent_0"])
    env.close()
    tested = stats.binomtest(int(sum(rewards)), len(rewards), 1 - 1 / 6)
    assert tested.pvalue > 0.001


@pytest.mark.long
@pytest.mark.parametrize("arguments", [{"channels": 4}, {"bandwidths": "9,6,4"}], ids=str)
def test_self_play_finds_the_value(arguments: dict[str, Any]) -> None:
    """The mean strategies of fictitious players: (C - 1) / C, or the value, within 0.02.

    A best response to them gains at most 0.03.
    """
    spec = jamming_v0.SPEC
    learned = self_play.learn(spec, slots=4000, seed=1, **arguments)
    rewards = self_play.play(spec, learned, slots=4000, seed=2, **arguments)
    goodputs = measure(**arguments)
    payoffs = goodputs / goodputs.max()
    value = equalise(payoffs.max(axis=1)).value
    assert abs(np.mean(rewards) - value) < 0.02
    assert (learned[0] @ payoffs).min() > value - 0.03
    assert (payoffs @ learned[1]).max() < value + 0.03
