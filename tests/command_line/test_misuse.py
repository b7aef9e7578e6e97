# SPDX-License-Identifier: GPL-2.0-only
"""Mistakes of newcomers with `train`, `resume`, `eval` and `export`."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_calls import call, call_for_json, small, start

from defiance_zoo.experiments.training.metrics import read_metrics


def test_typos_are_reported_without_importing_a_training_library(tmp_path: Path) -> None:
    """The import of a training library takes seconds."""
    typos = ["--hyper=n_stps=64", "--algorithm=PPQ", "--library=sb4", "-pdely=1ms"]
    program = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from defiance_zoo.command_line import main\n"
        "slow = {'torch', 'ray', 'stable_baselines3', 'matplotlib', 'scipy', 'tensorboardX'}\n"
        f"for typo in {typos}:\n"
        "    done = CliRunner().invoke(main, ['train', 'cart_pole_v0', typo])\n"
        "    suggests = 'did you mean' in done.stderr\n"
        "    print(typo, done.exit_code, suggests, sorted(slow & set(sys.modules)))\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stdout.splitlines() == [f"{typo} 2 True []" for typo in typos], done.stderr


@pytest.mark.long
def test_a_run_stopped_before_its_first_iteration_starts_again(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with start(*small(run, "--json")) as process:
        assert process.stdout is not None
        while not (run / "config.yaml").is_file():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        events = [json.loads(line) for line in process.stdout]
    shutil.rmtree(run / "checkpoints", ignore_errors=True)  # whenever the signal came
    assert events[-1]["event"] in ("interrupted", "finished")
    events = call_for_json("resume", run)
    assert (events[0]["event"], events[0]["steps"]) == ("started", 0)
    assert [each["event"] for each in events][-1] == "finished"
    assert [row["steps"] for row in read_metrics(run / "metrics.csv")] == [32]


@pytest.mark.parametrize(
    "place", ["missing/found.json", "file/found.json", ".", "/proc/self/found.json"]
)
def test_unwritable_results_are_refused_before_the_work(place: str, tmp_path: Path) -> None:
    """The check comes before the search for the run, which does not exist."""
    (tmp_path / "file").touch()
    out = tmp_path / place
    status, _, errors = call("eval", tmp_path / "run", "--out", out)
    assert (status, "Traceback" in errors) == (2, False)
    assert "cannot be written" in errors or "is a directory" in errors
    if place != ".":
        status, _, errors = call("export", tmp_path / "run", out.with_suffix(".onnx"))
        assert (status, "cannot be written" in errors) == (2, True)


def test_steps_may_be_written_in_yaml_notation(tmp_path: Path) -> None:
    assert call(*small(tmp_path / "run", "--steps", "3.2e1", "--quiet")) == (0, "", "")
    assert "steps: 32\n" in (tmp_path / "run" / "config.yaml").read_text()


def test_a_deployment_in_which_no_agent_can_decide_is_warned_of(tmp_path: Path) -> None:
    deployment = ("cart_pole_v0", "-p", "delay=10s", "-p", "duration=200ms", "--episodes", 2)
    status, printed, errors = call("random", *deployment)
    assert status == 0
    assert "mean return 10" in printed
    assert errors.count("Warning: no agent decided in an episode of 'cart_pole', which ended") == 1
    assert call("random", "cart_pole_v0", "--episodes", 1)[2] == ""


def test_training_warns_if_no_agent_can_decide(tmp_path: Path) -> None:
    status, _, errors = call(*small(tmp_path / "run", "--quiet", "-p", "delay=10s"))
    assert (status, "no agent decided" in errors) == (0, True)
