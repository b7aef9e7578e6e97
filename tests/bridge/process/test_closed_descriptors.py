# SPDX-License-Identifier: GPL-2.0-only
"""Standard input, output and error closed: simulations start and print as if they were open."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from limited_programs import variables

PLAY = """
import os, subprocess, sys
from conftest import TRIAL, over
from defiance_zoo.environments import EnvironmentSpec

closed, result, *more = sys.argv[1:]
late = more == ["late"]


def close():
    for standard in map(int, closed.split(",")):
        try:
            os.close(standard)
        except OSError:
            pass


close()
spec = EnvironmentSpec("trial_v0", TRIAL)
played = []
for launch in ("spawn", "fork", "attach"):
    for link in ("zmq", "local", "spin"):
        if launch == "attach" and link != "zmq":
            continue
        started = []
        announce = lambda command: started.append(subprocess.Popen(command.shell(), shell=True))
        how = {"announce": announce} if launch == "attach" else over(link) | {"output": "show"}
        env = spec.parallel_env(launch=launch, timeout=20, **how)
        for seed in range(2):
            env.reset(seed=seed)
            *_, infos = env.step({agent: 3 for agent in env.agents})
            assert [info["last_action"] for info in infos.values()] == ["3"]
            if late:
                close()
        env.close()
        for each in started:
            each.wait()
        played.append(f"{launch} {link}")
open(result, "w").write("\\n".join(played))
"""
"""Plays over each link with descriptors closed, and again after each episode if they are "late"."""

COMBINATIONS = [
    ",".join(each) for count in (1, 2, 3) for each in itertools.combinations("012", count)
]


def play(closed: str, result: Path, *more: str, close_first: bool = False) -> None:
    """Play with descriptors closed by the program, or before Python starts."""
    program = [sys.executable, "-c", PLAY, closed, str(result), *more]
    if close_first:
        redirections = " ".join(f"{each}>&-" for each in closed.split(","))
        program = ["sh", "-c", f'exec "$@" {redirections}', "sh", *program]
    subprocess.run(program, env=variables(), timeout=60, check=True)
    assert len(result.read_text().splitlines()) == 7


@pytest.mark.parametrize("closed", ["0", "0,1,2"])
def test_simulations_start_where_standard_descriptors_are_closed(
    closed: str, tmp_path: Path
) -> None:
    play(closed, tmp_path / "result", "late")


@pytest.mark.long
@pytest.mark.parametrize("close_first", [False, True])
@pytest.mark.parametrize("closed", COMBINATIONS)
def test_simulations_start_with_any_combination_of_closed_descriptors(
    closed: str, close_first: bool, tmp_path: Path
) -> None:
    play(closed, tmp_path / "result", close_first=close_first)


WORK = """
import os, sys
for standard in map(int, sys.argv[1].split(",")):
    os.close(standard)
from defiance_zoo.experiments.evaluation import NamedPolicy
from defiance_zoo.experiments.study.cells import CellJob
from defiance_zoo.experiments.workbench.workers import LocalWorkers

if __name__ == "__main__":
    job = CellJob("cart_pole_v0", {"duration": "1s"}, 1, 1, NamedPolicy("random"))
    workers = LocalWorkers(1)
    (done,) = workers.run([("cell", job)], print)
    workers.close()
    open(sys.argv[2], "w").write(str(done.error))
"""


@pytest.mark.long
def test_workers_start_where_standard_descriptors_are_closed(tmp_path: Path) -> None:
    program = tmp_path / "work.py"
    program.write_text(WORK)
    command = [sys.executable, program, "0,1,2", tmp_path / "result"]
    subprocess.run(command, env=variables(), timeout=60, check=True)
    assert (tmp_path / "result").read_text() == "None"
