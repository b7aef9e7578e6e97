# SPDX-License-Identifier: GPL-2.0-only
"""The program of a scenario without Python's environments: its arguments, and faults."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from scenario_files import RUNNER

from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.errors import ParameterError

SCENARIO = """
import defiance_zoo.scenario as sc
sim = sc.Simulation("small", duration="50ms")
sim.parameter("delay", sc.Time("1ms"), range=(sc.Time("0s"), sc.Time("1s")))
sim.parameter("observed", 0.5)
sim.parameter("reward", 0.0)

@sim.episode
def build(p):
    (node,) = sc.nodes(1)
    agent = sc.Agent(node, sc.Box(0, 1, (1,)), sc.Discrete(2), StepInterval="10ms")
    agent.on_action(lambda action: None)
    agent.info(dict)

    @agent.observe
    def look():
        return [p.observed]
"""


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    """Return the status and the standard error of the program."""
    (folder / "small.py").write_text(SCENARIO)
    done = subprocess.run(
        [sys.executable, RUNNER, *arguments],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stderr


@pytest.mark.filterwarnings("ignore::defiance_zoo.errors.MissingUnitWarning")
def test_a_number_out_of_range_names_the_missing_unit(tmp_path: Path) -> None:
    file = tmp_path / "small.py"
    file.write_text(SCENARIO)
    spec = EnvironmentSpec("small_v0", Scenario.python("small", file))
    with pytest.raises(ParameterError, match=r"not within .*; a number is in s: write 10ms\?"):
        spec.parallel_env(delay=10)


def test_an_observation_outside_its_space_ends_the_program_with_its_fault(tmp_path: Path) -> None:
    status, said = run(tmp_path, "small.py", "--observed=2")
    assert status == 1
    assert "element 0 is 2" in said
    assert "in look" in said
    assert "NS_FATAL" not in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["absent.py"], "there is no file "),
        (["small.py", "delay=20ms"], "'delay=20ms' is not an argument: write --delay=20ms"),
        (["small.py", "--delay", "20ms"], "'--delay 20ms' must be --delay=20ms"),
        (["small.py", "fast"], "'fast' is not an argument: write --name=value"),
    ],
)
def test_a_wrong_argument_is_refused_by_name(
    arguments: list[str], words: str, tmp_path: Path
) -> None:
    status, said = run(tmp_path, *arguments)
    assert status in (1, 2)
    assert words in said
    assert "Traceback" not in said
