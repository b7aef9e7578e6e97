# SPDX-License-Identifier: GPL-2.0-only
"""Decisions inside a call: an agent that plays NewReno equals ns-3's own, packet for packet."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from conftest import PROGRAMS

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import SimulationAECEnv, SimulationParallelEnv

CONGESTION = Scenario("congestion_control", PROGRAMS / "congestion_control")
WAYS = ["direct", "env", "application", "channels"]
Make = Callable[..., Any]


def new_reno(state: Any) -> float:
    """Return the window or threshold that NewReno (RFC 6582 and 5681) answers with."""
    question, window, threshold, segment, acknowledged, in_flight = (int(each) for each in state)
    if question == 1:
        return max(2 * segment, in_flight // 2)
    if window < threshold and acknowledged >= 1:
        window += segment
        acknowledged -= 1
    if window >= threshold and acknowledged > 0:
        window += int(max(1.0, segment * segment / window))
    return window


def sent_by_ns3() -> str:
    """Return number and hash of the packets that ns-3's own NewReno sends."""
    program = [str(PROGRAMS / "congestion_control"), "--decider=ns-3"]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    return digest(done.stdout)


def digest(output: str) -> str:
    found = re.search(r"packets \d+ digest \d+", output)
    assert found is not None
    return found[0]


def play(env: SimulationAECEnv) -> int:
    """Play NewReno for an episode, and return the number of decisions."""
    env.reset(seed=1)
    decisions = 0
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        done = terminated or truncated
        decisions += not done
        env.step(None if done else [new_reno(observation)])
    env.close()
    return decisions


@pytest.mark.parametrize("way", WAYS)
def test_new_reno_in_python_sends_the_same_packets_as_ns3(
    way: str, link: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = {"link": "local"} if link != "zmq" else {}
    decisions = play(SimulationAECEnv(CONGESTION, decider=way, output="show", **arguments))
    assert decisions > 400
    assert digest(capsys.readouterr().err) == sent_by_ns3()


def test_another_policy_sends_other_packets(capsys: pytest.CaptureFixture[str]) -> None:
    env = SimulationParallelEnv(CONGESTION, output="show")
    env.reset(seed=1)
    while env.agents:
        env.step({agent: [4 * 536.0] for agent in env.agents})
    env.close()
    assert digest(capsys.readouterr().err) != sent_by_ns3()


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
def test_a_snapshot_taken_within_the_call_continues_there(way: str, make_aec: Make) -> None:
    def rest(env: SimulationAECEnv) -> list[list[float]]:
        seen = []
        while env.agents:
            observation, _, terminated, truncated, _ = env.last()
            seen.append(observation.tolist())
            env.step(None if terminated or truncated else [new_reno(observation)])
        return seen

    env = make_aec(CONGESTION, decider=way)
    env.reset(seed=1)
    for _ in range(50):
        env.step([new_reno(env.last()[0])])
    snapshot = env.snapshot()
    once = rest(env)
    env.restore(snapshot)
    assert rest(env) == once
