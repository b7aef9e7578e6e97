# SPDX-License-Identifier: GPL-2.0-only
"""A library of another distribution trains like the built-in libraries."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_calls import call, call_for_json, start

from defiance_zoo.experiments.training.metrics import read_metrics

OUTSIDE = Path(__file__).resolve().parents[1] / "experiments/training/outside"
FLAGS = (
    *("--env", "cart_pole_v0", "-p", "duration=500ms", "-p", "transport=udp"),
    *("--library", "plain", "--simulations", 2, "--hyper", "n_steps=32"),
    *("--evaluation-episodes", 2, "--evaluate-every", 128),
)
BUILD = "import setuptools.build_meta as backend; backend.build_wheel('dist')"


@pytest.fixture(scope="module", autouse=True)
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder on Python's path, in which the distribution is installed."""
    source = tmp_path_factory.mktemp("outside") / "source"
    shutil.copytree(OUTSIDE, source)
    subprocess.run([sys.executable, "-c", BUILD], cwd=source, check=True, capture_output=True)
    (wheel,) = (source / "dist").glob("plain_ppo-1.0-*.whl")
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(folder), *sys.path])
        patch.setenv("PYTHONPATH", str(folder))
        importlib.invalidate_caches()
        yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "plain_ppo"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory, site: Path) -> dict[str, Any]:
    """A run that was interrupted by SIGTERM after an iteration."""
    run = tmp_path_factory.mktemp("runs") / "run"
    with start("train", *FLAGS, "--steps", "1e9", "--out", run, "--json") as process:
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line)["event"] == "iteration":
                process.send_signal(signal.SIGTERM)
                break
        last = json.loads(process.stdout.readlines()[-1])
    return {"run": run, "status": process.returncode, "last": last}


@pytest.fixture(scope="module")
def resumed(interrupted: dict[str, Any]) -> dict[str, Any]:
    """The same run, resumed until a little later."""
    until = interrupted["last"]["steps"] + 128
    events = call_for_json("resume", interrupted["run"], "--until", until)
    return {"run": interrupted["run"], "until": until, "events": events}


@pytest.mark.long
def test_an_interruption_saves_a_checkpoint_to_resume_from(interrupted: dict[str, Any]) -> None:
    assert interrupted["status"] == 128 + signal.SIGTERM
    assert interrupted["last"]["event"] == "interrupted"
    run = interrupted["run"]
    assert read_metrics(run / "metrics.csv")[0]["steps"] == 64
    assert (run / "checkpoints" / "last" / "signature").is_file()
    assert json.loads((run / "versions.json").read_text())["packages"]["plain-ppo"] == "1.0"


@pytest.mark.long
def test_a_resumed_run_equals_an_uninterrupted_one(resumed: dict[str, Any], tmp_path: Path) -> None:
    other = tmp_path / "run"
    assert call("train", *FLAGS, "--steps", resumed["until"], "--out", other, "--quiet")[0] == 0
    ours, theirs = (read_metrics(each / "metrics.csv") for each in (resumed["run"], other))
    timed = {"seconds", "steps_per_second", "simulation_share"}
    assert [{k: row[k] for k in row.keys() - timed} for row in ours] == [
        {k: row[k] for k in row.keys() - timed} for row in theirs
    ]
    assert {"return/mean", "loss/policy", "evaluation/return/mean"} <= ours[-1].keys()
    weights = [
        (each / "checkpoints" / "last" / "trainer" / "network.pt").read_bytes()
        for each in (resumed["run"], other)
    ]
    assert weights[0] == weights[1]


def test_eval_plays_the_learned_policy(resumed: dict[str, Any]) -> None:
    known = json.loads((resumed["run"] / "evaluation.json").read_text())
    assert known["checkpoint"]["library"] == "plain"
    assert call_for_json("eval", resumed["run"]) == known


def test_a_checkpoint_of_another_user_is_refused_without_trust(
    resumed: dict[str, Any], tmp_path: Path
) -> None:
    changed = tmp_path / "checkpoint"
    shutil.copytree(resumed["run"] / "checkpoints" / "last", changed)
    (changed / "trainer" / "more").touch()
    arguments = ("eval", changed, "--episodes", 1, "--no-baselines")
    status, _, errors = call(*arguments)
    assert (status, "has changed" in errors) == (2, True)
    assert call(*arguments, "--trust")[0] == 0


def test_the_exported_policy_plays_without_python(resumed: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "policy.onnx"
    status, printed, errors = call("export", resumed["run"], file)
    assert (status, errors) == (0, "")
    (line,) = re.findall(r"^  (\w+=.*)$", printed, re.MULTILINE)
    done = subprocess.run(line, shell=True, env={}, capture_output=True, text=True, check=True)
    (amount,) = re.findall(r"agent_0: \d+ decisions, return (\S+),", done.stdout)
    evaluated = json.loads((resumed["run"] / "evaluation.json").read_text())
    assert float(amount) == evaluated["policies"]["trained"]["returns"][0]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--library=plane"], r"library='plane': .*; did you mean 'plain'\? There are .*plain"),
        (["--library=plain", "--algorithm=PP0"], "no algorithm of plain 'PP0'; did you mean 'PPO'"),
        (["--library=plain", "--hyper=n_stps=8"], "of PPO 'n_stps'; did you mean 'n_steps'"),
        (["--library=plain", "--normalize"], "normalize=True cannot .* library='sb3' can have it"),
        (["--library=plain", "--runners=2"], "runners=2 cannot .* library='rllib' can have it"),
    ],
)
def test_unsupported_options_are_refused(flags: list[str], words: str, tmp_path: Path) -> None:
    status, printed, errors = call("train", "cart_pole_v0", *flags, "--out", tmp_path / "run")
    assert (status, printed) == (2, "")
    assert re.search(words, errors)
    assert list(tmp_path.iterdir()) == []


def test_the_doctor_checks_the_needs_of_the_library() -> None:
    found = call_for_json("doctor")["groups"]["For training"]
    (own,) = [each for each in found if each["what"].startswith("[plain]")]
    assert own["present"]
    assert own["remedy"] == "pip install plain-ppo"


def test_the_page_about_training_shows_the_projects_files() -> None:
    page = (OUTSIDE.parents[3] / "docs" / "training" / "training.md").read_text()
    for name in ("pyproject.toml", "plain_ppo/__init__.py"):
        licence, _, text = (OUTSIDE / name).read_text().partition("\n")
        assert licence.startswith("# SPDX")
        assert text in page
