# SPDX-License-Identifier: GPL-2.0-only
"""A scenario program without Python: developed, profiled and debugged like any ns-3 program."""

from __future__ import annotations

import re
import subprocess

import pytest
from conftest import GYM_STYLE, PLAIN_MAIN, TRIAL

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import lookup

CART_POLE = lookup("cart_pole_v0").scenario


def run(scenario: Scenario, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a scenario program without Python."""
    command = [scenario.locate(), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("scenario", [CART_POLE, TRIAL, PLAIN_MAIN, GYM_STYLE])
def test_the_built_in_policy_decides(scenario: Scenario) -> None:
    done = run(scenario)
    assert done.returncode == 0, done.stderr


def test_the_program_prints_a_summary() -> None:
    done = run(CART_POLE, "--carts=2", "--transport=udp", "--delay=2ms")
    pattern = r"agent_{}: \d+ decisions, return \d+, terminated"
    assert re.search(pattern.format(0), done.stdout)
    assert re.search(pattern.format(1), done.stdout)


def test_built_in_policies_take_constant_or_random_actions() -> None:
    """Ten decisions within 100 ms, with the same action each time, rewarded with 1, 2, ..., 10."""
    done = run(TRIAL, "--policy=constant", "--action=3")
    assert done.stdout == "agent_0: 10 decisions, return 55, truncated\n"
    one, two, other = (
        run(CART_POLE, "--policy=random", f"--RngRun={number}").stdout for number in (1, 1, 2)
    )
    assert one == two != other


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("--carts=0", "carts.*0.*1"),
        ("--transport=pigeon", "transport.*pigeon.*simple, udp, tcp"),
        ("--delay=soon", "delay.*soon"),
        ("--policy=wise", "policy.*wise"),
    ],
)
def test_bad_arguments_are_refused(argument: str, words: str) -> None:
    done = run(CART_POLE, argument)
    assert done.returncode == 2
    assert re.search(words, done.stderr)
    assert done.stdout == ""
