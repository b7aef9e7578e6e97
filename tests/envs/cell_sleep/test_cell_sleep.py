# SPDX-License-Identifier: GPL-2.0-only
"""cell_sleep in every mode: checkers, spaces, rewards, rules, bad parameters, pictures."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from conformance import Conformance, SingleAgentConformance
from gymnasium import spaces
from pettingzoo.test import max_cycles_test

from defiance_zoo.bridge.codec import element_names
from defiance_zoo.envs import cell_sleep_v0, cell_sleep_v1
from defiance_zoo.envs.cell_sleep.baselines import HysteresisOptions, share_fairly
from defiance_zoo.envs.cell_sleep.day import ELEMENTS, find_share
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import NamedPolicy

Arguments = dict[str, Any]
SIGNALS: Arguments = {"observation": "signals"}
SHORT: Arguments = {"cells": 2, "users": 2, "interval": "200ms", "duration": "2s"}

pytestmark = pytest.mark.filterwarnings("ignore:Action space for each agent probably should be")


class Short:
    """Arguments that keep episodes short."""

    spec = cell_sleep_v0.SPEC
    cycles: ClassVar[int] = 6
    short: ClassVar[Arguments] = SHORT


@pytest.mark.parametrize("arguments", [pytest.param({}, id="central")])
class TestCentral(Short, SingleAgentConformance):
    """One agent for all cells."""


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"placement": "local"}, id="local"),
        pytest.param(
            {"placement": "remote", "transport": "udp", "loss": 0.2, "reward": "own", **SIGNALS},
            id="udp",
        ),
    ],
)
class TestEachCell(Short, Conformance):
    """An agent for each cell."""


class Later(Short):
    """The second version."""

    spec = cell_sleep_v1.SPEC


@pytest.mark.parametrize("arguments", [pytest.param({}, id="central")])
class TestTrafficOfAllCells(Later, SingleAgentConformance):
    """One agent for all cells, which observes each user's traffic."""


@pytest.mark.parametrize("arguments", [pytest.param({"placement": "local"}, id="local")])
class TestTrafficOfEachCell(Later, Conformance):
    """An agent for each cell, which observes how users receive its cell."""


@pytest.mark.parametrize("placement", ["central", "local"])
def test_most_efficient_wakes_the_cell_with_the_greatest_efficiency(placement: str) -> None:
    env = cell_sleep_v0.raw_env(link="local", placement=placement, **SHORT, **SIGNALS)
    policy = NamedPolicy("most_efficient").make(cell_sleep_v0.SPEC, env, 1)
    env.reset(seed=1)
    chosen: list[int] = []
    efficiencies: list[float] = []
    while len(chosen) < 2:
        agent = env.agent_selection
        observation, _, _, _, info = env.last()
        action = policy.act(agent, observation, info)
        names = element_names(env.observation_space(agent))
        efficiencies += [
            float(observation[place])
            for place, name in enumerate(names)
            if name.startswith("efficiency")
        ]
        chosen += np.atleast_1d(action).tolist()
        env.step(action)
    env.close()
    best = [int(each == max(efficiencies)) for each in efficiencies]
    if placement == "central":  # of equally good cells, only the first one
        best = [int(cell == best.index(1)) for cell in range(2)]
    assert chosen == best


def test_most_efficient_needs_signals() -> None:
    env = cell_sleep_v0.raw_env(link="local", **SHORT)
    with pytest.raises(ParameterError, match="needs observation='signals'"):
        NamedPolicy("most_efficient").make(cell_sleep_v0.SPEC, env, 1)
    env.close()


@pytest.mark.parametrize(
    "arguments", [{"observation": "signals"}, {"placement": "local"}, {"cells": 1}]
)
def test_plan_needs_the_traffic_of_all_cells(arguments: Arguments) -> None:
    env = cell_sleep_v1.raw_env(link="local", **{**SHORT, **arguments})
    with pytest.raises(ParameterError, match=r"plan needs observation='traffic', placement='cen"):
        NamedPolicy("plan").make(cell_sleep_v1.SPEC, env, 1)
    env.close()


def test_a_search_needs_as_many_cells_as_are_to_be_awake() -> None:
    env = cell_sleep_v1.raw_env(link="local", **SHORT)
    policy = NamedPolicy("best_constant", {"cells": 3}).make(cell_sleep_v1.SPEC, env, 1)
    env.reset(seed=1)
    observation, _, _, _, info = env.last()
    with pytest.raises(ParameterError, match="cells=3: there are only 2 cells"):
        policy.act("agent_0", observation, info)
    env.close()


@pytest.mark.parametrize(
    ("needs", "shares"),
    [
        ([0.1, 0.2], [0.1, 0.2]),
        ([0.9, 0.2, 0.9], [0.4, 0.2, 0.4]),
        ([2.0, 3.0], [0.5, 0.5]),
        ([], []),
    ],
)
def test_time_is_shared_fairly(needs: list[float], shares: list[float]) -> None:
    assert share_fairly(np.array(needs)) == pytest.approx(shares)


def test_max_cycles_truncates_episodes() -> None:
    max_cycles_test(cell_sleep_v0)


def test_spaces_and_names_depend_on_the_parameters() -> None:
    env = cell_sleep_v0.parallel_env(link="local", placement="local", **SHORT)
    assert env.possible_agents == ["agent_0", "agent_1"]
    space = env.observation_space("agent_0")
    names, low, high = zip(*ELEMENTS, strict=True)
    assert space == spaces.Box(np.array(low, np.float32), np.array(high, np.float32))
    assert element_names(space) == names
    assert env.action_space("agent_1") == spaces.Discrete(2)
    env.close()
    central = cell_sleep_v0.parallel_env(**SHORT)
    assert central.action_space("agent_0") == spaces.MultiDiscrete([2, 2])
    assert element_names(central.observation_space("agent_0"))[7:9] == ("hour_cosine_0", "awake_1")
    central.close()
    signals = cell_sleep_v0.parallel_env(**SIGNALS, **SHORT)
    names = element_names(signals.observation_space("agent_0"))
    assert names[8:11] == ("efficiency_0", "lead_0", "awake_1")
    signals.close()
    traffic = cell_sleep_v1.parallel_env(**SHORT)
    names = element_names(traffic.observation_space("agent_0"))
    assert names[10:15] == (
        *("user_snr_0_0", "user_snr_1_0", "user_traffic_0_0", "user_traffic_1_0"),
        "energy_price_0",
    )
    assert names[16:18] == ("demand_0", "awake_1")
    traffic.close()


def test_traffic_follows_the_day() -> None:
    """The share is least at 5:00 and largest at 17:00; packets are sent by it."""
    assert [find_share(hour) for hour in (5, 17)] == pytest.approx([0.1, 1.0])
    env = cell_sleep_v0.parallel_env(link="local", cells=2, users=2, day="6s", duration="6.6s")
    env.reset(seed=1)
    offered: dict[float, float] = {}
    while env.agents:
        *_, infos = env.step({"agent_0": np.array([1, 1])})
        offered[infos["agent_0"]["sim_time_ns"] / 1e9] = infos["agent_0"]["offered"]
    env.close()
    for time in (2.0, 4.5, 6.0):
        hour = (time - 0.5) * 4  # at which the interval began
        assert offered[time] == pytest.approx(find_share(hour), abs=0.03)


def rewards(**arguments: Any) -> list[dict[str, float]]:
    """Return the rewards of agents while cell 1 sleeps."""
    env = cell_sleep_v0.parallel_env(link="local", **{**SHORT, **arguments})
    env.reset(seed=4)
    earned = []
    while env.agents:
        awake: Any = {each: 1 - int(each[-1]) for each in env.agents}
        if len(awake) == 1:
            awake = {"agent_0": np.array([1, 0])}
        earned.append(env.step(awake)[1])
    env.close()
    return earned


def test_rewards_are_own_or_the_mean() -> None:
    """The sum over all cells is the same, for one agent and for several."""
    together, own, central = (
        rewards(placement="local"), rewards(placement="local", reward="own"), rewards()
    )  # fmt: skip
    for mean, mine, whole in zip(together, own, central, strict=True):
        assert mean["agent_0"] == mean["agent_1"] == pytest.approx(sum(mine.values()))
        assert whole["agent_0"] == pytest.approx(mean["agent_0"])
    assert own[-1]["agent_0"] != own[-1]["agent_1"]


def test_the_last_serving_cell_does_not_sleep() -> None:
    env = cell_sleep_v0.parallel_env(link="local", **SHORT)
    env.reset(seed=1)
    awake = [env.step({"agent_0": np.array([0, 0])})[-1]["agent_0"]["awake"] for _ in range(3)]
    env.close()
    assert [list(each) for each in awake] == [[0, 1]] * 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"cells": 13}, "cells.*1.*12"),
        ({"users": 31}, "users.*1.*30"),
        ({"resource_blocks": 7}, "resource_blocks=7 is not one of"),
        ({"reward": "own", "placement": "central"}, "reward=own needs an agent for each cell"),
        ({"profile": "nite"}, "profile.*daily.*night.*peak"),
        ({"access": "lte"}, "access"),
        ({"wake_tme": "1s"}, "wake_tme.*did you mean 'wake_time'"),
    ],
)
def test_bad_parameters_are_refused(arguments: Arguments, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        cell_sleep_v0.raw_env(**arguments).reset()


def test_bad_thresholds_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"low=0.8 and high=0.5"):
        HysteresisOptions(low=0.8, high=0.5)


def test_pictures_are_drawn() -> None:
    text, picture = (
        cell_sleep_v0.parallel_env(link="local", render_mode=mode, **SHORT)
        for mode in ("ansi", "rgb_array")
    )
    for env in (text, picture):
        env.reset(seed=1)
        for _ in range(2):
            env.step({"agent_0": np.array([1, 0])})
    lines = text.render().splitlines()
    assert lines[0].startswith("00:36, served ")
    assert [line.partition(",")[0] for line in lines[-2:]] == ["cell 0: awake", "cell 1: asleep"]
    assert picture.render().shape == (400, 700, 3)
    text.close()
    picture.close()


def test_gymnasium_makes_the_environment() -> None:
    env = gymnasium.make("defiance_zoo/CellSleep-v1", **SHORT)
    env.reset(seed=1)
    truncated = [env.step(np.array([1, 1]))[3] for _ in range(9)]
    assert truncated == [False] * 8 + [True]
    env.close()
