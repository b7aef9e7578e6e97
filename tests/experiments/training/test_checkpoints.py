# SPDX-License-Identifier: GPL-2.0-only
"""Checkpoints are complete at any moment."""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training import (
    Evaluation,
    RunConfig,
    checkpoints,
    evaluate,
    resume,
    train,
)
from defiance_zoo.experiments.training.checkpoints import (
    Counters,
    RunFolder,
    find_checkpoint,
    has_checkpoint,
    mend_links,
    read_checkpoint,
    save_checkpoint,
)
from defiance_zoo.experiments.workbench.origin import require_signature

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
    with pytest.raises(ParameterError, match=f"is not a run; runs in it: .*{tmp_path}"):
        find_checkpoint(tmp_path.parent)
    with pytest.raises(ParameterError, match="a run without checkpoints"):
        find_checkpoint(tmp_path)
    (tmp_path / "counters.json").write_text('{"step": 1}')
    with pytest.raises(ParameterError, match="is not a checkpoint"):
        read_checkpoint(tmp_path)


def copy_without_links(run: Path, copy: Path) -> None:
    shutil.copytree(run, copy, ignore=lambda _, names: {"last", "best"} & {*names})


def copy_with_text_for_links(run: Path, copy: Path) -> None:
    copy_without_links(run, copy)
    for name in ("last", "best"):
        target = (run / "checkpoints" / name).readlink()
        (copy / "checkpoints" / name).write_text(str(target))


COPIES = [shutil.copytree, copy_without_links, copy_with_text_for_links]
"""Ways in which `cp -rL`, clouds and archives of other systems copy the links of a run."""


def interrupted(*_arguments: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("copy", COPIES)
def test_links_that_a_copy_of_a_run_lacks_are_made_anew(
    copy: Callable[[Path, Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, there = tmp_path / "run", tmp_path / "there"
    run.mkdir()
    for steps, best in ((10, 1.0), (20, 2.0), (30, 2.0)):
        counters = Counters(steps=steps, seconds=steps, best=best)
        save_checkpoint(
            run / "checkpoints", CONFIG, counters, lambda _: None, best=steps == 10 * best
        )
    copy(run, there)
    assert find_checkpoint(there, "last", trust=False).counters.steps == 30
    assert find_checkpoint(there, "best", trust=False).counters.steps == 20
    with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
        patch.setattr(checkpoints, "_link", interrupted)  # a process killed while it mends
        mend_links(there)
    mend_links(there)
    places = [there / "checkpoints" / name for name in ("last", "best")]
    assert all(each.is_symlink() for each in places)
    assert [read_checkpoint(each, trust=False).counters.steps for each in places] == [30, 20]
    save(there, 40)  # the next checkpoint of the resumed training
    assert find_checkpoint(there, "last").counters.steps == 40
    assert find_checkpoint(there, "best").counters.steps == 20


def test_a_copy_of_a_run_without_its_checkpoints_is_refused_with_what_it_lacks(
    tmp_path: Path,
) -> None:
    folder = RunFolder(tmp_path / "my run", new=True)
    folder.begin(CONFIG)
    save(folder.path, 10, best=True)
    save(folder.path, 20)
    folder.note({"event": "checkpoint", "steps": 20})
    folder.close()
    (folder.path / "metrics.csv").write_text("steps\n20\n")
    shutil.rmtree(folder.path / "checkpoints" / "step-10")
    with pytest.raises(ParameterError, match=r"lacks checkpoints/step-10, to which .*/best leads"):
        resume(folder.path)
    shutil.rmtree(folder.path / "checkpoints")
    for work in (resume, has_checkpoint, evaluate):
        with pytest.raises(ParameterError, match=r"step-\*: copy the whole .*train '[^ ]*my run/"):
            work(folder.path)
    assert (folder.path / "metrics.csv").read_text() == "steps\n20\n"


@pytest.mark.long
def test_a_copy_of_a_run_resumes_like_the_run(tmp_path: Path) -> None:
    config = RunConfig(
        env="cart_pole_v0",
        steps=32,
        hyperparameters={"n_steps": 32, "batch_size": 32},
        evaluation=Evaluation(episodes=1),
    )
    run = train(config, tmp_path / "run").run
    shutil.copytree(run, tmp_path / "copy")  # follows links
    counters = [resume(each, until=96).counters for each in (run, tmp_path / "copy")]
    assert counters[0].steps == counters[1].steps == 96
    rows = [(each / "metrics.csv").read_text().splitlines() for each in (run, tmp_path / "copy")]
    assert len(rows[0]) == len(rows[1])


def test_the_configuration_of_a_checkpoint_is_the_one_that_was_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path, 10)

    def exchange(folder: Path, *names: str, trust: bool) -> dict[str, bytes]:
        compared = require_signature(folder, *names, trust=trust)
        (folder / "config.yaml").write_text("env: evil:any_v0\n")
        return compared

    monkeypatch.setattr(checkpoints, "require_signature", exchange)
    assert find_checkpoint(tmp_path, trust=False).config == CONFIG
