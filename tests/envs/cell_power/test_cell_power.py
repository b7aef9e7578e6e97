# SPDX-License-Identifier: GPL-2.0-only
"""cell_power_v0 in every mode: checkers, SINR by formula, rewards, messages, bad parameters."""

from __future__ import annotations

import math
import re
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance import Conformance, SingleAgentConformance
from gymnasium import spaces
from pettingzoo.test import max_cycles_test

from defiance_zoo.envs import cell_power_v0
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import policy_makers

Arguments = dict[str, Any]
SHORT: Arguments = {
    "cells": 2,
    "users_per_cell": 1,
    "resource_blocks": 6,
    "interval": "10ms",
    "duration": "120ms",
}
FREE_SPACE: Arguments = {"path_loss_exponent": 2.0, "shadowing": 0.0}

# The warnings of the checkers, and why the environment keeps its design.
pytestmark = [
    # Before the first interval there is nothing to observe.
    pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros"),
    # The action of a central agent is a vector with an element for each cell.
    pytest.mark.filterwarnings("ignore:Action space for each agent probably should be"),
    # A real action is a power in dBm.
    pytest.mark.filterwarnings("ignore:.*ecommend.*a symmetric and normalized"),
]


class Short:
    """Arguments that keep episodes short."""

    spec = cell_power_v0.SPEC
    short: ClassVar[Arguments] = SHORT
    cycles = 5


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"placement": "central"}, id="central"),
        pytest.param({"cells": 1, "action_space": "continuous", "movement": "walk"}, id="one-cell"),
    ],
)
class TestOneAgent(Short, SingleAgentConformance):
    """One agent for all cells, or for the only one."""


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"reward": "competitive", "messages": True}, id="local-messages"),
        pytest.param(
            {
                "placement": "remote",
                "transport": "udp",
                "delay": "2ms",
                "loss": 0.1,
                "messages": True,
                "message_delay": "1ms",
            },
            id="remote-udp-messages",
        ),
    ],
)
class TestOneAgentACell(Short, Conformance):
    """An agent for each cell, on its node or elsewhere; the agents communicate."""


@pytest.mark.parametrize(
    "arguments",
    [
        {"placement": "remote", "access": "csma", "transport": "tcp", "messages": True},
        {"messages": True, "transport": "tcp", "training_server": "central"},
        {"placement": "central", "transport": "udp", "workers": 1, "service_time": "2ms"},
    ],
    ids=["csma", "training-server", "processor"],
)
def test_each_option_of_the_shared_deployment_plays(arguments: Arguments) -> None:
    """The episode has all its decisions, and actions reach the cells."""
    steps = follow(
        np.array([2, 2]) if arguments.get("placement") == "central" else 2,
        **{**SHORT, **arguments},
    )
    assert len(steps) == 12
    assert steps[-1][4]["agent_0"]["powers"].tolist() == [10.0, 10.0]


def test_max_cycles_truncates_episodes() -> None:
    max_cycles_test(cell_power_v0)


def follow(powers: Any, **arguments: Any) -> list[tuple[Any, ...]]:
    """Play one episode with constant actions; return observations, rewards and infos of steps."""
    env = cell_power_v0.parallel_env(link="local", **arguments)
    env.reset(seed=1)
    steps = []
    while env.agents:
        steps.append(env.step(dict.fromkeys(env.agents, powers)))
    env.close()
    return steps


def friis(distance: float) -> float:
    """Return the path gain in free space at 2.12 GHz, as a factor."""
    return float((299792458 / 2.12e9 / (4 * math.pi * distance)) ** 2)


NOISE = 10 ** ((-174 + 9 - 30) / 10) * 25 * 180e3
"""Noise of a receiver with a noise figure of 9 dB over 25 resource blocks, in W."""


@pytest.mark.parametrize(
    ("speed", "distance", "power", "sinr"),
    [
        (100.0, 30.5, 0.0, 29.836),
        (100.0, 30.5, 10.0, 39.836),
        (100.0, 30.5, 15.0, 44.836),
        (50.0, 15.25, 15.0, 50.857),
    ],
)
def test_one_cell_in_free_space_has_the_published_values(
    speed: float, distance: float, power: float, sinr: float
) -> None:
    """Published values: the user moves away; its measurement is a subframe (1 ms) old."""
    start = distance - speed * 0.02
    steps = follow(
        np.array([power], np.float32),
        **FREE_SPACE,
        cells=1,
        users_per_cell=1,
        action_space="continuous",
        max_power=46.0,
        movement="away",
        speed=speed,
        user_distance=start,
        interval="10ms",
        duration="30ms",
    )
    observations, _, _, _, infos = steps[1]
    info = infos["agent_0"]
    assert info["users"][0] == pytest.approx(distance)
    assert info["sinrs"][0] == pytest.approx(sinr, abs=1e-3)
    assert 10 * observations["agent_0"][0] == pytest.approx(sinr, abs=1e-3)
    there = 10 * math.log10(10 ** (power / 10 - 3) * friis(distance - speed * 1e-3) / NOISE)
    assert info["sinrs"][0] == pytest.approx(there, abs=1e-6)


def test_the_interference_of_two_cells_equals_the_formula() -> None:
    """Each user receives its own cell at 30 m, and the other one at 170 m or 230 m."""
    powers = np.array([12.0, 25.0], np.float32)
    steps = follow(
        powers,
        **FREE_SPACE,
        cells=2,
        users_per_cell=1,
        placement="central",
        action_space="continuous",
        user_distance=30.0,
        interval="10ms",
        duration="30ms",
    )
    watts = 10 ** (powers.astype(float) / 10 - 3)
    other = [200.0 - 30.0, 200.0 + 30.0]
    expected = [
        10 * math.log10(watts[i] * friis(30.0) / (NOISE + watts[1 - i] * friis(other[i])))
        for i in range(2)
    ]
    assert steps[1][4]["agent_0"]["sinrs"] == pytest.approx(expected, abs=1e-6)
    alone = 10 * math.log10(watts[0] * friis(30.0) / NOISE)
    assert expected[0] < alone - 30  # interference dominates the noise


def test_spaces_depend_on_the_parameters() -> None:
    env = cell_power_v0.raw_env(cells=3, users_per_cell=2)
    assert env.possible_agents == ["agent_0", "agent_1", "agent_2"]
    assert env.observation_space("agent_0").shape == (4,)
    assert env.action_space("agent_0") == spaces.Discrete(7)
    talking = cell_power_v0.raw_env(cells=3, users_per_cell=2, messages=True)
    assert talking.observation_space("agent_0").shape == (4 + 2 * 3,)
    central = cell_power_v0.raw_env(placement="central", action_space="continuous", min_power=5.0)
    assert central.observation_space("agent_0").shape == (12,)
    assert central.action_space("agent_0") == spaces.Box(5, 30, (3,), np.float32)


def test_rewards_are_as_documented_on_the_card() -> None:
    given: Arguments = {**SHORT, "interval": "50ms", "duration": "100ms", "power_weight": 0.4}
    for kind in ("cooperative", "competitive"):
        _, rewards, _, _, infos = follow(3, reward=kind, target_sinr=40.0, **given)[1]
        info = infos["agent_0"]
        own = [
            min(0.0, sinr - 40) / 10 + min(1.0, throughput / 0.5) - 0.4 * 10 ** ((15 - 30) / 10)
            for sinr, throughput in zip(info["sinrs"], info["throughputs"], strict=True)
        ]
        expected = own if kind == "competitive" else [sum(own) / 2] * 2
        assert [*rewards.values()] == pytest.approx(expected, abs=1e-5)


def test_agents_observe_their_neighbours_after_the_delay() -> None:
    """Action and observation of cell 1 are in agent 0's observation two intervals later."""
    steps = follow(2, messages=True, message_delay="15ms", **SHORT)
    seen = [observations["agent_0"][3:] for observations, *_ in steps]
    other = [observations["agent_1"] for observations, *_ in steps]
    assert not seen[0].any()  # sent at 0 ms, received at 15 ms
    assert seen[1][0] == pytest.approx(1.0)  # 10 dBm, and nothing was observed before
    assert seen[2][1] == pytest.approx(other[0][0])
    assert seen[3][1] == pytest.approx(other[1][0])


def test_baselines_play_in_every_mode() -> None:
    for arguments in ({"placement": "central"}, {"action_space": "continuous"}, {}):
        for name, options, power in (
            ("constant", {"power": 10.0}, 10.0),
            ("target_tracking", {"target": -20.0}, 0.0),
        ):
            maker = policy_makers(cell_power_v0.SPEC)[name]
            env = cell_power_v0.raw_env(link="local", **SHORT, **arguments)
            policy = maker.make(env, 0, maker.read_options(options))
            env.reset(seed=1)
            for agent in env.agent_iter():
                observation, _, ended, cut, info = env.last()
                env.step(None if ended or cut else policy.act(agent, observation, info))
            assert info["powers"] == pytest.approx([power] * 2)
            env.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"resource_blocks": 7}, "resource_blocks=7 is not an LTE bandwidth"),
        ({"min_power": 30.0}, "min_power=30 is not below max_power=30"),
        ({"movement": "away"}, "set user_distance"),
        ({"message_delay": "1ms"}, "need messages=true"),
        ({"messages": True, "cells": 1}, "at least two cells"),
        ({"messages": True, "placement": "central"}, "without neighbours"),
        ({"placement": "central", "reward": "competitive"}, "placement=local or"),
        ({"duration": "20ms"}, "shorter than interval"),
        ({"access": "wifi"}, "access"),
    ],
)
def test_invalid_parameters_are_refused(arguments: Arguments, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        cell_power_v0.raw_env(**arguments).reset(seed=1)


@pytest.mark.parametrize(
    ("name", "options"), [("constant", {"power": 50}), ("target_tracking", {"target": 99})]
)
def test_policy_options_out_of_range_are_refused(name: str, options: Arguments) -> None:
    with pytest.raises(ParameterError, match="dB"):
        policy_makers(cell_power_v0.SPEC)[name].read_options(options)


def test_pictures_are_drawn() -> None:
    for mode in ("rgb_array", "ansi"):
        env = cell_power_v0.parallel_env(render_mode=mode, link="local", **SHORT)
        env.reset(seed=1)
        first = env.render()
        env.step(dict.fromkeys(env.agents, 0))
        later = env.render()
        env.close()
        if mode == "ansi":
            assert "cell 1: 0.0 dBm" in later
            assert {"[0]", "[1]"} <= set(re.findall(r"\[\d\]", later))
            assert "SINR" in later
        else:
            assert first.shape == later.shape == (400, 700, 3)
            assert (first != later).any()
