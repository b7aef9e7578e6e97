# SPDX-License-Identifier: GPL-2.0-only
"""A peer that breaks the protocol: each fault raises its own clear error and leaves no process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from defiance_zoo import errors
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import SimulationAECEnv

MakeAEC = Callable[..., SimulationAECEnv]

FAULTS = {
    "wrong_version": (errors.VersionMismatch, "uses protocol 1, but this package uses 2"),
    "wrong_token": (errors.ProtocolError, "another episode's token"),
    "truncated_frame": (errors.MalformedMessage, "not a message"),
    "garbage": (errors.MalformedMessage, "40 bytes that are not a message"),
    "two_frames": (errors.MalformedMessage, "not a message"),
    "empty_frame": (errors.MalformedMessage, "step request or the end was due"),
    "request_before_hello": (errors.MalformedMessage, "step_request message where hello was due"),
    "hello_twice": (errors.MalformedMessage, "hello message where a step request"),
    "unknown_agent": (errors.MalformedMessage, "agent number 3, which was never introduced"),
    "agent_out_of_turn": (errors.MalformedMessage, "'agent_0' introduced out of order"),
    "wrong_sequence": (errors.MalformedMessage, "request 6 where 1 was due"),
    "wrong_dtype": (errors.MalformedMessage, "FLOAT64.*the space has float32"),
    "wrong_shape": (errors.MalformedMessage, r"shape \(4,\).*the space has float32 and \(2,\)"),
    "wrong_kind": (errors.MalformedMessage, "agent_0.*a text value where the space is box"),
    "short_data": (errors.MalformedMessage, "7 bytes for a tensor.*which needs 8"),
    "no_reward": (errors.MalformedMessage, "0 rewards of 1 agents"),
    "unknown_row": (errors.MalformedMessage, r"infos of rows \[1\], but there are 1"),
    "no_steps": (errors.MalformedMessage, "step request without an agent"),
    "ended_both_ways": (errors.MalformedMessage, "agent_0 must have ended by either"),
    "bad_space": (errors.MalformedMessage, "the protocol has no element type 0"),
    "failure": (errors.SimulationRefused, r"gave up \(wrong sequence\): out of step"),
}


@pytest.fixture(params=[pytest.param("zmq", marks=pytest.mark.long), "local"])
def link(request: pytest.FixtureRequest) -> str:
    """Return a kind of link that the fake simulation knows."""
    kind: str = request.param
    return kind


def play(env: SimulationAECEnv, **reset: Any) -> int:
    """Play one episode and return the number of turns."""
    env.reset(**reset)
    turns = 0
    for agent in env.agent_iter():
        *_, terminated, truncated, _info = env.last()
        env.step(None if terminated or truncated else env.action_space(agent).sample())
        turns += 1
    return turns


@pytest.mark.parametrize("fault", FAULTS)
def test_each_protocol_fault_raises_its_own_error(
    fault: str, fake: Scenario, make_aec: MakeAEC
) -> None:
    kind, words = FAULTS[fault]
    with pytest.raises(kind, match=words) as caught:
        play(make_aec(fake, fault=fault, timeout=20))
    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("resumed_with_wrong_token", "the token of another episode"),
        ("asked_twice", "step_request message where resumed was due"),
    ],
)
def test_a_wrong_answer_to_a_snapshot_ends_the_episode(
    fault: str, words: str, fake: Scenario, make_aec: MakeAEC
) -> None:
    env = make_aec(fake, fault=fault)
    env.reset()
    with pytest.raises(errors.MalformedMessage, match=words):
        env.snapshot()
    assert env.agents == []
    env.reset()
    env.step(0)


def test_a_snapshot_that_never_connects_is_refused_and_the_episode_continues(
    fake: Scenario, make_aec: MakeAEC
) -> None:
    env = make_aec(fake, fault="none")
    env.reset()
    with pytest.raises(errors.SnapshotRefused, match="no copy connected"):
        env.snapshot()
    env.step(0)
    assert env.agents == ["agent_0"]


def test_the_next_reset_works_after_a_fault(fake: Scenario, make_aec: MakeAEC) -> None:
    env = make_aec(fake, fault="none")
    assert play(env) == 4  # three decisions and the end
    with pytest.raises(errors.MalformedMessage):
        play(env, options={"fault": "short_data"})
    with pytest.raises(errors.ResetNeeded):
        env.step(0)
    assert play(env) == 4
