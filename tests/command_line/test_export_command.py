# SPDX-License-Identifier: GPL-2.0-only
"""`export`: a file, and the command that runs it without Python."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from command_calls import call

TRAIN = (
    *("--env", "cart_pole_v0", "-p", "duration=1s", "--steps", 128),
    *("--hyper", "n_steps=64", "--hyper", "batch_size=64"),
)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a short run."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    status, _, errors = call("train", *TRAIN, "--out", folder)
    assert status == 0, errors
    return folder


@pytest.mark.long
def test_the_printed_command_runs_without_python(trained: Path, tmp_path: Path) -> None:
    file = tmp_path / "policy.onnx"
    status, printed, errors = call("export", trained, file)
    assert (status, errors) == (0, "")
    assert f"{file} decides for agent_0" in printed
    (line,) = re.findall(r"^  (\w+=.*)$", printed, re.MULTILINE)
    done = subprocess.run(line, shell=True, env={}, capture_output=True, text=True, check=True)
    assert re.fullmatch(r"agent_0: \d+ decisions, return \d+, \w+\n", done.stdout)


@pytest.mark.parametrize(
    ("file", "words"),
    [("policy.pt", "does not end with .onnx"), ("no/policy.onnx", "cannot be written: No such")],
)
def test_invalid_file_names_are_refused(
    file: str, words: str, trained: Path, tmp_path: Path
) -> None:
    status, printed, errors = call("export", trained, tmp_path / file)
    assert (status, printed) == (2, "")
    assert words in errors
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    status, _, errors = call("export", tmp_path, tmp_path / "policy.onnx")
    assert status == 2
    assert "is not a run" in errors
