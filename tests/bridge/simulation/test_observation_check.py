# SPDX-License-Identifier: GPL-2.0-only
"""An observation outside of its space raises an error with agent, key and value."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import PROGRAMS
from gymnasium import spaces

from defiance_zoo import errors
from defiance_zoo.bridge.codec import codec_for
from defiance_zoo.bridge.simulation import Scenario

OBSERVATIONS = Scenario("observations", PROGRAMS / "observations")
CONGESTION = Scenario("congestion_control", PROGRAMS / "congestion_control")
Make = Callable[..., Any]


def play(env: Any) -> None:
    env.reset(seed=1)
    while env.agents:
        env.step({"agent_0": 0})


def decisions_until_refused(env: Any) -> int:
    """Play and count the decisions until an observation is refused."""
    env.reset(seed=1)
    decisions = 0
    try:
        while env.agents:
            env.step(dict.fromkeys(env.agents, 0))
            decisions += 1
    except errors.InvalidObservation:
        pass
    return decisions


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("bounds", "key 'load' element 3 is -inf, but must be from 0 to 1"),
        ("shape", r"key 'load' has shape \(5,\), but must have \(4,\)"),
        ("kind", "key 'load' is of class ns3::OpenGymDiscreteContainer, but must be a box"),
    ],
)
def test_an_invalid_observation_is_refused_with_agent_key_and_value(
    make_parallel: Make, fault: str, said: str
) -> None:
    env = make_parallel(OBSERVATIONS, fault=fault)
    with pytest.raises(errors.InvalidObservation, match=f"'agent_0' is not of its .* {said}"):
        play(env)


def test_the_bounds_check_alone_can_be_switched_off(make_parallel: Make) -> None:
    assert decisions_until_refused(make_parallel(OBSERVATIONS, check_bounds="never")) == 200
    assert decisions_until_refused(make_parallel(OBSERVATIONS)) == 2
    wrong_shape = make_parallel(OBSERVATIONS, fault="shape", check_bounds="never")
    assert decisions_until_refused(wrong_shape) == 2


def test_without_bounds_check_actions_out_of_bounds_pass_too(make_aec: Make) -> None:
    refused = make_aec(CONGESTION)
    refused.reset()
    with pytest.raises(errors.InvalidAction):
        refused.step([-1.0])
    env = make_aec(CONGESTION, check_bounds="never")
    env.reset()
    env.step([-1.0])
    with pytest.raises(errors.InvalidAction, match="shape"):
        env.step([1.0, 2.0])


def test_large_observations_are_checked_every_few_steps(make_parallel: Make) -> None:
    sampled = decisions_until_refused(make_parallel(OBSERVATIONS, size=2560))
    always = decisions_until_refused(make_parallel(OBSERVATIONS, size=2560, check_bounds="always"))
    assert always == 2
    assert always < sampled <= always + 11


def test_a_program_without_python_ends_at_an_invalid_observation() -> None:
    program = str(PROGRAMS / "observations")
    done = subprocess.run([program, "--policy=random"], capture_output=True, text=True)
    assert done.returncode != 0
    assert "agent 'agent_0'" in done.stderr
    assert "key 'load' element 3 is -inf" in done.stderr


def test_python_checks_observations_that_the_simulation_did_not(
    make_parallel: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = make_parallel(OBSERVATIONS, check_bounds="always")
    starter = env._episodes.launcher.starter
    environment = starter._environment
    monkeypatch.setattr(
        starter,
        "_environment",
        lambda *given: {**environment(*given), "DEFIANCE_CHECK_BOUNDS": "never"},
    )
    with pytest.raises(errors.InvalidObservation, match="key 'load' element 3 is -inf, but must"):
        play(env)


@pytest.mark.parametrize(
    ("space", "stack", "fault"),
    [
        (
            spaces.Box(0, 1, (2, 2)),
            np.array([[[0, 0], [0, 1]], [[0, 0], [np.nan, 1]]]),
            (1, "element 2 is nan, but must be from 0.0 to 1.0"),
        ),
        (spaces.Box(0, 1, ()), np.array([0.5, 2]), (1, "element 0 is 2.0, but must be from 0.0")),
        (spaces.Discrete(2, start=3), np.array([3, 5]), (1, "is 5, but must be from 3 to 4")),
        (
            spaces.MultiDiscrete([2, 3]),
            np.array([[1, 3], [0, 0]]),
            (0, "element 1 is 3, but must be from 0 to 2"),
        ),
        (spaces.MultiBinary(2), np.array([[0, 1], [2, 0]]), (1, "element 0 is 2, but must be")),
        (spaces.Text(3, charset="ab"), ("a", "abc"), (1, "is 'abc', which is not in")),
        (
            spaces.Dict({"x": spaces.Tuple((spaces.Discrete(2),))}),
            {"x": (np.array([1, 2]),)},
            (1, "key 'x' item 0 is 2, but must be from 0 to 1"),
        ),
    ],
)
def test_an_invalid_row_is_found_in_each_kind_of_space(
    space: Any, stack: Any, fault: tuple[int, str]
) -> None:
    found = codec_for(space).find_fault(stack, 2)
    assert found is not None
    assert (found.row, found.reason[: len(fault[1])]) == fault
    first = {"x": (np.array([1]),)} if isinstance(stack, dict) else stack[1 - fault[0]]
    if not isinstance(stack, dict):
        alone = (first,) if isinstance(first, str) else np.array([first])
        assert codec_for(space).find_fault(alone, 1) is None
