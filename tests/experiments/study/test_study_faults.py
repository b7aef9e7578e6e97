# SPDX-License-Identifier: GPL-2.0-only
"""Studies that are interrupted and killed, and cells that fail."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import psutil
import pytest
from studies import incomplete, read_csv, run, started, tables, write

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.study import read_study, run_study
from defiance_zoo.experiments.study.cells import plan, training_job

FAULTY = """
import os
from pathlib import Path

import psutil

from defiance_zoo.environments import EnvironmentSpec, register
from defiance_zoo.bridge.simulation import Scenario

def faulty(kill):
    def baseline(action_space):
        def act(observation):
            if Path(os.environ["FAULT"]).exists():
                kill()
            return 0
        return act
    return baseline

def kill_simulation():
    for process in psutil.Process().children(recursive=True):
        process.kill()

def kill_worker():
    psutil.Process().kill()

def kill_worker_once():
    Path(os.environ["FAULT"]).unlink()
    kill_worker()

baselines = {"once": faulty(kill_worker_once), "left": lambda _: lambda _: 0}
baselines |= {"fatal": faulty(kill_simulation), "deadly": faulty(kill_worker)}
scenario = Scenario("cart_pole_v0", "cart_pole")
register("faulty_v0", EnvironmentSpec("faulty_v0", scenario, baselines=baselines))
"""


IMPOSSIBLE = """
import defiance_zoo.scenario as sc

sim = sc.Simulation("impossible", duration="1s")

@sim.episode
def build(p: sc.Parameters) -> None:
    raise ValueError("no link of 0 bit/s")
"""


def play_some(process: subprocess.Popen[str], cells: int) -> list[psutil.Process]:
    """Wait for a number of cells; return the processes that the study has started."""
    assert process.stdout is not None
    while cells:
        cells -= json.loads(process.stdout.readline())["event"] == "cell"
    return psutil.Process(process.pid).children(recursive=True)


@pytest.mark.thorough
def test_an_interrupted_and_killed_study_continues_to_the_same_tables(tmp_path: Path) -> None:
    grid = {"transport": ["udp", "tcp"], "carts": [1, 2, 3], "delay": ["0ms", "10ms", "30ms"]}
    file = write(tmp_path, grid=grid)
    out, whole = tmp_path / "out", tmp_path / "whole"
    with started(file, out, "--workers", 2) as process:
        children = play_some(process, 3)
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate()
    assert process.returncode == 130
    assert json.loads(printed.splitlines()[-1])["event"] == "interrupted"
    with started(file, out, "--workers", 2) as process:
        children += play_some(process, 3)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert len(children) >= 8  # workers, fork servers and simulations
    assert psutil.wait_procs(children, timeout=20)[1] == []
    kept = {path: path.stat().st_mtime_ns for path in (out / "cells").glob("[!.]*.json")}
    assert 6 <= len(kept) < 36
    assert not (out / "cells.csv").exists()
    (out / "cells" / ".0.json-killed.incomplete").touch()  # like an interrupted write

    status, events = run(file, out, "--workers", 1)
    assert status == 0
    assert (events[0]["cells"], events[0]["finished"]) == (36, len(kept))
    assert sum(event["event"] == "cell" for event in events) == 36 - len(kept)
    assert all(path.stat().st_mtime_ns == modified for path, modified in kept.items())
    run_study(read_study(file), whole, workers=1)
    assert tables(out) == tables(whole)
    assert incomplete(out) == []


def test_a_deployment_that_a_scenario_cannot_build_is_refused_once(tmp_path: Path) -> None:
    (tmp_path / "impossible.py").write_text(IMPOSSIBLE)
    policies = {name: {"baseline": name} for name in ("random", "constant")}
    scenario = str(tmp_path / "impossible.py")
    file = write(tmp_path, env=scenario, policies=policies, parameters={}, grid={})
    with pytest.raises(ParameterError, match="no link of 0 bit/s") as caught:
        run_study(read_study(file), tmp_path / "out")
    assert str(caught.value).startswith("1 of the combinations")
    assert not (tmp_path / "out" / "cells.csv").exists()


@pytest.mark.long
def test_failed_cells_are_reported_and_retried(tmp_path: Path) -> None:
    (tmp_path / "faulty.py").write_text(FAULTY)
    fault = tmp_path / "fault"
    fault.touch()
    policies = {name: {"baseline": name} for name in ("fatal", "deadly", "left")}
    file = write(tmp_path, env="faulty:faulty_v0", policies=policies, grid={"carts": [1, 2]})
    variables = {"PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    variables["FAULT"] = str(fault)
    status, events = run(file, tmp_path / "out", "--workers", 1, **variables)
    assert status == 1
    crashed, died = ["SimulationCrashed"] * 2, ["WorkerDied"] * 2
    assert [e["error"] for e in events if e["event"] == "failed"] == [*crashed, *died]
    rows = read_csv(tmp_path / "out" / "cells.csv")
    assert [row["error"] for row in rows] == [*crashed, *died, "", ""]
    assert all("ended" in row["message"] for row in rows[:2])
    assert all("was killed by SIGKILL" in row["message"] for row in rows[2:4])
    assert all("given up after 3 attempts" in row["message"] for row in rows[2:4])
    assert [row["return"] != "" for row in rows] == [False] * 4 + [True] * 2
    assert "4 cells failed" in (tmp_path / "out" / "report.html").read_text()

    fault.unlink()
    status, events = run(file, tmp_path / "out", "--workers", 1, **variables)
    assert status == 0
    assert events[0]["finished"] == 2
    rows = read_csv(tmp_path / "out" / "cells.csv")
    assert all(row["error"] == "" and row["return"] for row in rows)
    assert len(list((tmp_path / "out" / "cells").iterdir())) == 6


@pytest.mark.long
def test_a_cell_of_a_killed_worker_is_played_by_another_one(tmp_path: Path) -> None:
    (tmp_path / "faulty.py").write_text(FAULTY)
    fault = tmp_path / "fault"
    fault.touch()
    policies = {name: {"baseline": name} for name in ("once", "left")}
    file = write(tmp_path, env="faulty:faulty_v0", policies=policies, grid={"carts": [1]})
    variables = {"PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    status, events = run(file, tmp_path / "out", "--workers", 1, **variables, FAULT=str(fault))
    assert status == 0
    assert not fault.exists()
    assert not [event for event in events if event["event"] == "failed"]
    once, left = read_csv(tmp_path / "out" / "cells.csv")
    assert once["return"] == left["return"]


@pytest.mark.long
def test_a_signal_ends_a_study_during_its_cells(tmp_path: Path) -> None:
    changes = {"grid": {"loss": [0, 0.1]}, "parameters": {"duration": "1h"}}
    policies = {"feedback": {"baseline": "state_feedback"}}
    file = write(tmp_path, **changes, policies=policies, episodes=1000)
    with started(file, tmp_path / "out", "--workers", 2) as process:
        assert process.stdout is not None
        while json.loads(process.stdout.readline())["event"] != "checked":
            pass
        study = psutil.Process(process.pid)
        while len(children := study.children(recursive=True)) < 5:  # workers, their simulations
            assert process.poll() is None
        process.terminate()
        printed, _ = process.communicate()
    assert process.returncode == 128 + signal.SIGTERM
    assert json.loads(printed.splitlines()[-1])["event"] == "interrupted"
    assert psutil.wait_procs(children, timeout=20)[1] == []
    assert incomplete(tmp_path / "out") == []


def test_a_copied_study_that_lacks_checkpoints_is_refused_before_it_begins(tmp_path: Path) -> None:
    learner = {"train": {"steps": 64, "parameters": {"duration": "400ms"}}}
    study = read_study(write(tmp_path, policies={"learner": learner}, grid={}))
    (cell,) = plan(study)
    assert cell.training is not None
    run = training_job(tmp_path / "out", cell.training).folder
    run.mkdir(parents=True)
    (run / "events.jsonl").write_text('{"event": "checkpoint", "steps": 64}\n')
    with pytest.raises(ParameterError, match=rf"{run} lacks the folders of its checkpoints"):
        run_study(study, tmp_path / "out", workers=1)
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["trainings"]
