# SPDX-License-Identifier: GPL-2.0-only
"""RL applications made from functions equal classes, in fewer lines."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import PROGRAMS, ROOT
from interfaces import INTERFACES, make, play_on

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.environments.testing import Transcript, check_deterministic

CALLABLES = EnvironmentSpec("callables_v0", Scenario("callables", PROGRAMS / "callables"))
CLASSES = EnvironmentSpec("classes_v0", Scenario("classes", PROGRAMS / "classes"))


def played(spec: EnvironmentSpec, interface: str, seed: int, **arguments: Any) -> Transcript:
    """Return all results of an episode with random actions."""
    env = make(spec, interface, **arguments)
    try:
        env.reset(seed=seed)
        return play_on(env, seed)
    finally:
        env.close()


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("interface", INTERFACES)
def test_an_episode_is_the_same_with_functions_and_with_classes(interface: str, seed: int) -> None:
    with_functions = played(CALLABLES, interface, seed)
    assert len(with_functions) > 90
    assert with_functions == played(CLASSES, interface, seed)


def test_parameters_reach_the_functions() -> None:
    fast = played(CALLABLES, "gymnasium", 1, data_rate="10Mbps")
    assert fast != played(CALLABLES, "gymnasium", 1)


def test_messages_of_functions_are_counted() -> None:
    env = CALLABLES.parallel_env(communication_infos=True)
    try:
        env.reset(seed=1)
        *_, infos = env.step({"agent_0": 1})
        reported = infos["agent_0"]
        assert reported["communication/observation_0/agent_0/observation/tx_messages"] == 2
        assert reported["communication/reward_0/agent_0/reward/tx_messages"] > 5
        assert reported["communication/agent_0/action_0/action/rx_messages"] == 1
    finally:
        env.close()


def test_functions_continue_from_a_snapshot() -> None:
    env = CALLABLES.parallel_env()
    try:
        env.reset(seed=1)
        play_on(env, seed=1, turns=20)
        snapshot = env.snapshot()
        first = play_on(env, seed=2)
        env.restore(snapshot)
        assert play_on(env, seed=2) == first
        assert len(first) > 70
    finally:
        env.close()


def test_functions_keep_no_state_between_episodes() -> None:
    check_deterministic(CALLABLES.parallel_env)


def test_the_scenario_has_few_lines() -> None:
    folder = ROOT / "tests" / "scenarios"
    files = [folder / "callables.cc", folder / "queue-network.h"]
    assert sum(len(file.read_text().splitlines()) for file in files) <= 120
