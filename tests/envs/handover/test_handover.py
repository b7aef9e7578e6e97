# SPDX-License-Identifier: GPL-2.0-only
"""handover_v0 in every mode: checkers, reports, prices, delay, bad parameters."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance import Conformance, SingleAgentConformance
from gymnasium import spaces
from pettingzoo.test import max_cycles_test

from defiance_zoo.envs import handover_v0
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import policy_makers

Arguments = dict[str, Any]
SHORT: Arguments = {
    "cells": 2,
    "users": 1,
    "resource_blocks": 6,
    "interval": "40ms",
    "duration": "400ms",
}

# The warnings of the checkers, and why the environment keeps its design.
pytestmark = [
    # Before the first report there is nothing to observe.
    pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros"),
    # The action of an agent is a vector with an element for each user.
    pytest.mark.filterwarnings("ignore:Action space for each agent probably should be"),
]


class Short:
    """Arguments that keep episodes short."""

    spec = handover_v0.SPEC
    short: ClassVar[Arguments] = SHORT
    cycles = 5


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="one-user"),
        pytest.param({"placement": "central", "users": 2, "action_delay": "3ms"}, id="central"),
    ],
)
class TestOneAgent(Short, SingleAgentConformance):
    """One agent for all users, or for the only one."""


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"users": 2, "reward": "competitive", "placement": "local"}, id="users"),
        pytest.param(
            {"users": 2, "agents": "cell", "transport": "udp", "delay": "5ms", "loss": 0.1},
            id="cells-udp",
        ),
    ],
)
class TestSeveralAgents(Short, Conformance):
    """An agent for each user or each cell."""


def test_max_cycles_truncates_episodes() -> None:
    max_cycles_test(handover_v0)


def play(choose: Any, seed: int = 1, **arguments: Any) -> list[tuple[Any, ...]]:
    """Play one episode; return rewards and infos of its steps.

    Args:
        choose: A function from the number of the step to each agent's action.
        seed: Seed of the episode.
        arguments: Arguments of the environment.
    """
    env = handover_v0.parallel_env(link="local", **arguments)
    env.reset(seed=seed)
    steps: list[tuple[Any, ...]] = []
    while env.agents:
        _, rewards, _, _, infos = env.step(dict.fromkeys(env.agents, choose(len(steps))))
        steps.append((rewards, infos))
    env.close()
    return steps


def test_spaces_depend_on_the_parameters() -> None:
    env = handover_v0.raw_env(cells=4, users=3)
    assert env.possible_agents == ["agent_0", "agent_1", "agent_2"]
    assert env.observation_space("agent_0") == spaces.Box(0, 1, (13,), np.float32)
    assert env.action_space("agent_0") == spaces.Discrete(5)
    cells = handover_v0.raw_env(cells=4, users=3, agents="cell")
    assert len(cells.possible_agents) == 4
    assert cells.observation_space("agent_0").shape == (3 * 13,)
    assert cells.action_space("agent_0") == spaces.MultiDiscrete([5, 5, 5])
    assert handover_v0.raw_env(placement="central").possible_agents == ["agent_0"]


@pytest.mark.parametrize("modes", [{}, {"placement": "central"}, {"agents": "cell"}], ids=str)
def test_a_command_hands_the_user_over_and_has_a_price(modes: Arguments) -> None:
    """One handover to the other cell: that cell serves the user, and the reward has the price."""
    given: Arguments = {**SHORT, **modes, "handover_price": 100.0, "shadowing": 0.0}
    still = play(lambda _step: 0, **given)
    other = 2 - int(still[0][1]["agent_0"]["serving"][0])  # cell 1 - serving, as an action
    steps = play(lambda step: other if step == 6 else 0, **given)
    info = steps[-1][1]["agent_0"]
    assert info["serving"].tolist() == [other - 1]
    assert info["handovers"].tolist() == [1]
    assert info["failures"].tolist() == [0]
    time, user, source, target = info["handover_log"]
    assert (user, source, target) == (0, 2 - other, other - 1)
    asked = steps[5][1]["agent_0"]["sim_time_ns"] / 1e9
    assert asked <= time < asked + 0.01
    total, usual = (sum(rewards["agent_0"] for rewards, _ in run) for run in (steps, still))
    assert total - usual == pytest.approx(-100.0, abs=12.0)  # the received data differ, too


def test_a_handover_to_a_cell_out_of_range_loses_the_user() -> None:
    """The user loses synchronisation, T310 expires, and then the user searches a cell."""
    given: Arguments = {
        **SHORT,
        "spacing": 2000.0,
        "power": 10.0,
        "shadowing": 0.0,
        "interval": "100ms",
        "duration": "2600ms",
    }
    first = int(play(lambda _step: 0, **given)[0][1]["agent_0"]["serving"][0])
    steps = play(lambda step: 2 - first if step == 0 else 0, **given)
    told = [infos["agent_0"] for _, infos in steps]
    assert told[5]["failure_count"] == 0
    assert told[-1]["failure_count"] == 1
    assert min(rewards["agent_0"] for rewards, _ in steps) == pytest.approx(-2.0)
    assert {int(info["serving"][0]) for info in told} >= {-1, 1 - first}


def test_commands_are_sent_over_the_backhaul() -> None:
    given: Arguments = {**SHORT, "shadowing": 0.0}
    first = int(play(lambda _step: 0, **given)[0][1]["agent_0"]["serving"][0])
    times = [
        play(lambda step: 2 - first if step == 6 else 0, **given, **how)[-1][1]["agent_0"][
            "handover_log"
        ][0]
        for how in (
            {},
            {"delay": "30ms"},
            {"transport": "tcp", "delay": "30ms"},
            {"transport": "udp", "access": "csma", "training_server": "central"},
        )
    ]
    assert times[1] - times[0] == pytest.approx(0.03, abs=1e-3)
    assert times[2] - times[0] == pytest.approx(0.03, abs=5e-3)
    assert 0 < times[3] - times[0] < 5e-3


def test_reports_equal_the_users_measurements() -> None:
    """RSRP by the formula, in steps of 1 dB from -140 dBm, of all cells."""
    env = handover_v0.parallel_env(
        link="local", **{**SHORT, "users": 2}, shadowing=0.0, speed=0.0, power=20.0
    )
    env.reset(seed=3)
    while env.agents:
        observations, _, _, _, infos = env.step(dict.fromkeys(env.agents, 0))
    env.close()
    info = infos["agent_0"]
    cells, users = np.reshape(info["cells"], (2, 2)), np.reshape(info["users"], (2, 2))
    for number, user in enumerate(users):
        distances = np.linalg.norm(cells - user, axis=1)
        loss = 20 * np.log10(4 * np.pi * 2.12e9 / 299792458) + 35 * np.log10(distances)
        rsrp = 20 - 10 * np.log10(6 * 12) - loss
        seen = observations[f"agent_{number}"]
        assert seen[:2] * 97 - 140 == pytest.approx(rsrp, abs=1.001)
        assert seen[4:6].tolist() == [float(info["serving"][number] == c) for c in range(2)]


@pytest.mark.parametrize("algorithm", ["a3_rsrp", "a2_a4_rsrq", "none"])
def test_ns3s_algorithms_ignore_actions(algorithm: str) -> None:
    given: Arguments = {**SHORT, "algorithm": algorithm, "speed": 60.0}
    runs = [play(lambda _step, a=action: a, **given)[-1][1]["agent_0"] for action in (0, 1, 2)]
    for run in runs[1:]:
        assert run["handover_log"].tolist() == runs[0]["handover_log"].tolist()
    assert algorithm != "none" or runs[0]["handover_count"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"report_interval": 200}, "report_interval=200 must be 120"),
        ({"hysteresis": 5.0}, "need reports=a3"),
        ({"neighbour_offset": 3}, "need algorithm=a2_a4_rsrq"),
        ({"placement": "central", "agents": "cell"}, "one agent for all"),
        ({"placement": "central", "reward": "competitive"}, "an agent for each user"),
        ({"resource_blocks": 7}, "not an LTE bandwidth"),
        ({"cells": 1}, "cells"),
        ({"access": "lte"}, "access"),
    ],
)
def test_invalid_parameters_are_refused(arguments: Arguments, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        handover_v0.raw_env(**arguments).reset(seed=1)


@pytest.mark.parametrize(
    "options", [{"hysteresis": 16}, {"time_to_trigger": -1}, {"hysteresis": "high"}]
)
def test_policy_options_out_of_range_are_refused(options: Arguments) -> None:
    a3_rsrp = policy_makers(handover_v0.SPEC)["a3_rsrp"]
    with pytest.raises(ParameterError, match="must be from 0 to"):
        a3_rsrp.read_options(options)


def test_pictures_are_drawn() -> None:
    for mode in ("rgb_array", "ansi"):
        env = handover_v0.parallel_env(render_mode=mode, link="local", **{**SHORT, "users": 3})
        env.reset(seed=1)
        first = env.render()
        env.step(dict.fromkeys(env.agents, 0))
        later = env.render()
        env.close()
        if mode == "ansi":
            assert "user 2: cell" in later
            assert {"[0]", "[1]"} <= set(re.findall(r"\[\d\]", later))
        else:
            assert first.shape == later.shape == (400, 700, 3)
            assert (first != later).any()
