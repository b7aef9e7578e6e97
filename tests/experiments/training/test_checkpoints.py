# SPDX-License-Identifier: GPL-2.0-only
"""Checkpoints are complete at any moment."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training import RunConfig
from defiance_zoo.experiments.training.checkpoints import (
    Counters,
    find_checkpoint,
    read_checkpoint,
    save_checkpoint,
)

CONFIG = RunConfig(env="cart_pole_v0")


def save(run: Path, steps: int, *, best: bool = False, text: str = "") -> None:
    """Save a checkpoint with a text as the trainer's part."""

    def write(folder: Path) -> None:
        assert list(folder.iterdir()) == []
        (folder / "weights").write_text(text)

    save_checkpoint(run / "checkpoints", CONFIG, Counters(steps=steps), write, best=best)


def test_only_the_last_and_the_best_checkpoint_are_kept(tmp_path: Path) -> None:
    for steps, best in ((10, True), (20, True), (30, False), (40, False)):
        save(tmp_path, steps, best=best, text=str(steps))
    last, best_one = find_checkpoint(tmp_path, "last"), find_checkpoint(tmp_path, "best")
    assert (last.counters.steps, best_one.counters.steps) == (40, 20)
    assert (best_one.trainer / "weights").read_text() == "20"
    assert best_one.config == CONFIG
    names = {path.name for path in (tmp_path / "checkpoints").iterdir()}
    assert names == {"last", "best", "step-20", "step-40"}


def test_without_a_best_checkpoint_the_last_is_found(tmp_path: Path) -> None:
    save(tmp_path, 10)
    assert find_checkpoint(tmp_path, "best").counters.steps == 10
    assert find_checkpoint(tmp_path / "checkpoints" / "last").counters.steps == 10


def test_a_checkpoint_that_cannot_be_written_keeps_the_last_one(tmp_path: Path) -> None:
    save(tmp_path, 10, text="whole")

    def fail(folder: Path) -> None:
        (folder / "weights").write_text("half")
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        save_checkpoint(tmp_path / "checkpoints", CONFIG, Counters(steps=20), fail, best=True)
    assert (find_checkpoint(tmp_path).trainer / "weights").read_text() == "whole"
    assert {path.name for path in (tmp_path / "checkpoints").iterdir()} == {"last", "step-10"}


def test_a_checkpoint_of_the_same_step_is_replaced(tmp_path: Path) -> None:
    save(tmp_path, 10, best=True, text="first")
    save(tmp_path, 10, text="second")
    assert (find_checkpoint(tmp_path, "best").trainer / "weights").read_text() == "first"
    assert (find_checkpoint(tmp_path, "last").trainer / "weights").read_text() == "second"


KILLED_WHILE_SAVING = """
import os
import signal
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_checkpoints import CONFIG
from defiance_zoo.experiments.training.checkpoints import Counters, save_checkpoint

def write(folder):
    (folder / "weights").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)

save_checkpoint(Path({folder!r}), CONFIG, Counters(steps=20), write, best=True)
"""


def test_a_process_killed_while_saving_keeps_the_last_checkpoint(tmp_path: Path) -> None:
    save(tmp_path, 10, text="whole")
    checkpoints = tmp_path / "checkpoints"
    tests = str(Path(__file__).parent)
    program = KILLED_WHILE_SAVING.format(tests=tests, folder=str(checkpoints))
    assert subprocess.run([sys.executable, "-c", program]).returncode == -signal.SIGKILL
    assert (find_checkpoint(tmp_path).trainer / "weights").read_text() == "whole"
    save(tmp_path, 30)  # its remains are deleted with the next one
    assert {path.name for path in checkpoints.iterdir()} == {"last", "step-30"}


def test_folders_without_a_checkpoint_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="is not a folder"):
        find_checkpoint(tmp_path / "nothing")
    with pytest.raises(ParameterError, match="is not a run"):
        find_checkpoint(tmp_path)
    (tmp_path / "config.yaml").write_text("env: cart_pole_v0\n")
    with pytest.raises(ParameterError, match="a run without checkpoints"):
        find_checkpoint(tmp_path)
    (tmp_path / "counters.json").write_text('{"step": 1}')
    with pytest.raises(ParameterError, match="is not a checkpoint"):
        read_checkpoint(tmp_path)
