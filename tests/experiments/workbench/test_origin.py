# SPDX-License-Identifier: GPL-2.0-only
"""The origin of loaded files, code in foreign files, and when checkpoints are on disk."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from defiance_zoo.errors import ParameterError, UnknownOrigin
from defiance_zoo.experiments.study import read_study, run_study
from defiance_zoo.experiments.training import (
    Evaluation,
    RunConfig,
    evaluate,
    load_policy,
    resume,
    train,
)
from defiance_zoo.experiments.training.checkpoints import Counters, find_checkpoint, save_checkpoint
from defiance_zoo.experiments.training.export.exporting import export_policy
from defiance_zoo.experiments.workbench.origin import (
    load_pickle,
    open_signed,
    opened,
    require_signature,
    sign,
)

ENV = "cart_pole_v0"


KILLED = """
import os
from defiance_zoo.experiments.workbench.origin import open_packed
with open_packed({"file": b"content"}) as copy:
    print(copy, (copy / "file").read_text(), flush=True)
    os.kill(os.getpid(), 9)
"""
SWEEPS = "from defiance_zoo.bridge.system.directories import sweep; sweep()"


class Planted:
    """A pickle that writes a file when it is loaded."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (self._path, "w")


def save(run: Path) -> Path:
    """Save a checkpoint, and return its folder."""

    def write(folder: Path) -> None:
        (folder / "nested").mkdir()
        (folder / "nested" / "weights.pkl").write_text("weights")

    config = RunConfig(env="cart_pole_v0")
    run.mkdir(exist_ok=True)
    save_checkpoint(run / "checkpoints", config, Counters(steps=10), write, best=True)
    return find_checkpoint(run).folder


def become_another_user(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Become a user with another key."""
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "of-another"))


def small_run() -> RunConfig:
    return RunConfig(
        env=ENV,
        steps=64,
        hyperparameters={"n_steps": 32, "batch_size": 32},
        evaluation=Evaluation(episodes=1),
        simulations=1,
    )


def test_a_folder_of_this_user_is_opened_as_a_private_copy(tmp_path: Path) -> None:
    folder = save(tmp_path / "run").rename(tmp_path / "moved")
    with open_signed(folder, trust=False) as copy:
        assert not copy.is_relative_to(tmp_path / "moved")
        assert copy.stat().st_mode & 0o077 == 0
        path = copy / "trainer" / "nested" / "weights.pkl"
        (folder / "trainer" / "nested" / "weights.pkl").write_text("exchanged meanwhile")
        assert opened(path).read_text() == "weights"
    assert not copy.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: append(folder / "trainer" / "nested" / "weights.pkl"),
        lambda folder: append(folder / "config.yaml"),
        lambda folder: append(folder / "signature"),
        lambda folder: (folder / "signature").unlink(),
        lambda folder: (folder / "signature").write_bytes(b"\xff"),
        lambda folder: (folder / "trainer" / "normalize.pkl").write_text("more"),
        lambda folder: (folder / "counters.json").unlink(),
        lambda folder: (folder / "trainer" / "nested").rename(folder / "trainer" / "other"),
    ],
)
def test_a_changed_folder_is_refused_unless_it_is_trusted(
    change: Callable[[Path], object], tmp_path: Path
) -> None:
    folder = save(tmp_path)
    change(folder)
    for look in (open_and_close, lambda each: require_signature(each, trust=False)):
        with pytest.raises(UnknownOrigin, match=r"can run any code.*--trust, or trust=True"):
            look(folder)
    with open_signed(folder, trust=True) as copy:
        assert {path.name for path in copy.iterdir()} <= {"trainer", "config.yaml", "counters.json"}


def append(path: Path) -> None:
    with path.open("a") as file:
        file.write("#")


def open_and_close(folder: Path) -> None:
    with open_signed(folder, trust=False):
        raise AssertionError("it was opened")


@pytest.mark.parametrize("trust", [False, True])
@pytest.mark.parametrize("special", [os.mkfifo, lambda path: Path(path).symlink_to("/dev/zero")])
def test_special_files_in_a_folder_are_refused_without_waiting(
    special: Callable[[Path], None], trust: bool, tmp_path: Path
) -> None:
    folder = save(tmp_path)
    for name in ("trainer/model.zip", "signature"):
        (folder / name).unlink(missing_ok=True)
        special(folder / name)
        with (
            pytest.raises(ParameterError, match="not a regular file"),
            open_signed(folder, trust=trust),
        ):
            raise AssertionError("it was opened")


def test_a_file_that_grew_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """A sparse terabyte of zeros occupies no disk space, but takes minutes to read."""
    folder = save(tmp_path)
    os.truncate(folder / "trainer" / "nested" / "weights.pkl", 2**40)
    begun = time.process_time()
    for look in (open_and_close, lambda each: require_signature(each, trust=False)):
        with pytest.raises(UnknownOrigin, match="has changed"):
            look(folder)
    assert time.process_time() - begun < 5


def test_a_folder_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = save(tmp_path)
    become_another_user(monkeypatch, tmp_path)
    with pytest.raises(UnknownOrigin):
        open_and_close(folder)
    key = tmp_path / "of-another" / "defiance-zoo" / "key"
    assert key.stat().st_mode & 0o077 == 0  # readable by the user only
    assert [path.name for path in key.parent.iterdir()] == ["key"]
    key.write_bytes(b"")  # an empty key, with which everybody could sign
    with pytest.raises(UnknownOrigin, match="it holds no key"):
        open_and_close(folder)


def test_libraries_load_from_private_copies_only(tmp_path: Path) -> None:
    folder = save(tmp_path)
    (folder / "trainer" / "state.pkl").write_bytes(pickle.dumps(Planted(tmp_path / "evidence")))
    for load in (opened, load_pickle):
        with pytest.raises(UnknownOrigin, match="has to be loaded from a copy"):
            load(folder / "trainer" / "state.pkl")
    assert not (tmp_path / "evidence").exists()


def test_work_without_a_key_is_refused_before_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(ParameterError, match=r"set XDG_STATE_HOME .* or load .* --trust"):
        train(small_run(), tmp_path / "run")
    assert not (tmp_path / "run").exists()
    run = train(small_run(), tmp_path / "run", trust=True).run
    with pytest.raises(UnknownOrigin):
        evaluate(run)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in whose checkpoint each file writes the file `evidence` when it is loaded."""
    folder = tmp_path_factory.mktemp("planted")
    run = train(small_run(), folder / "run").run
    for path in find_checkpoint(run).trainer.rglob("*"):
        path.write_bytes(pickle.dumps(Planted(folder / "evidence")))
    return run


def test_a_planted_run_runs_no_code_in_any_command(planted: Path, tmp_path: Path) -> None:
    evidence = planted.parent / "evidence"
    checkpoint = find_checkpoint(planted)
    study = tmp_path / "study.yaml"
    study.write_text(
        f"env: {ENV}\npolicies:\n  theirs: {{run: {planted}}}\nepisodes: 1\n", encoding="utf-8"
    )
    uses: list[Callable[[], object]] = [
        lambda: evaluate(planted),
        lambda: resume(planted, until=128),
        lambda: load_policy(checkpoint.config, checkpoint.trainer),
        lambda: export_policy(checkpoint.config, checkpoint.trainer, tmp_path / "policy.onnx"),
        lambda: run_study(read_study(study), tmp_path / "study", workers=1),
    ]
    for use in uses:
        with pytest.raises(UnknownOrigin):
            use()
    assert not evidence.exists()
    assert not (tmp_path / "study").exists()
    with pytest.raises(ParameterError, match="cannot be loaded; it is damaged"):
        load_policy(checkpoint.config, checkpoint.trainer, trust=True)


@pytest.mark.long
def test_a_training_planted_in_a_study_runs_no_code(planted: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.yaml"
    described = "{steps: 64, hyperparameters: {n_steps: 32, batch_size: 32}}"
    study.write_text(
        f"env: {ENV}\npolicies:\n  learner: {{train: {described}}}\nepisodes: 1\n",
        encoding="utf-8",
    )
    out = tmp_path / "out"
    assert run_study(read_study(study), out, workers=1).failed == 0
    (training,) = (out / "trainings").iterdir()
    shutil.rmtree(training / "checkpoints")
    shutil.copytree(planted / "checkpoints", training / "checkpoints", symlinks=True)
    shutil.rmtree(out / "cells")
    with pytest.raises(UnknownOrigin):
        run_study(read_study(study), out, workers=1)
    assert not (planted.parent / "evidence").exists()


@pytest.mark.long
def test_trust_is_passed_to_the_workers_of_a_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = train(small_run(), tmp_path / "run").run
    become_another_user(monkeypatch, tmp_path)
    study = tmp_path / "study.yaml"
    study.write_text(f"env: {ENV}\npolicies:\n  theirs: {{run: run}}\nepisodes: 1\n")
    with pytest.raises(UnknownOrigin):
        run_study(read_study(study), tmp_path / "out", workers=1)
    assert run_study(read_study(study), tmp_path / "out", workers=1, trust=True).failed == 0
    assert evaluate(run, trust=True)["episodes"] == 1
    assert resume(run, until=128, trust=True).counters.steps >= 128


def test_a_folder_signed_by_the_user_is_loaded(tmp_path: Path) -> None:
    run = train(small_run(), tmp_path / "run").run
    found = find_checkpoint(run)
    alone = tmp_path / "alone"
    shutil.copytree(found.trainer, alone)
    with pytest.raises(UnknownOrigin, match="is not signed"):
        load_policy(found.config, alone)
    sign(alone)
    load_policy(found.config, alone).reset()


def test_a_checkpoint_is_on_disk_before_it_becomes_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[str] = []
    links: list[list[str]] = []
    fsync, symlink_to = os.fsync, Path.symlink_to

    def note_flush(descriptor: int) -> None:
        flushed.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        fsync(descriptor)

    def note_link(link: Path, target: str) -> None:
        links.append(list(flushed))
        symlink_to(link, target)

    monkeypatch.setattr(os, "fsync", note_flush)
    monkeypatch.setattr(Path, "symlink_to", note_link)
    folder = save(tmp_path)
    names = {path.name for path in folder.rglob("*")}
    assert len(links) == 2  # last and best
    assert all(names <= set(before) for before in links)


def test_the_copy_of_a_killed_process_goes_with_the_start_of_the_next_one(tmp_path: Path) -> None:
    variables = {**os.environ, "TMPDIR": str(tmp_path)}
    killed = subprocess.run(
        [sys.executable, "-c", KILLED], env=variables, capture_output=True, text=True, check=False
    )
    place, content = killed.stdout.split()
    assert (Path(place).is_dir(), content) == (True, "content")
    subprocess.run([sys.executable, "-c", SWEEPS], env=variables, check=True)
    assert list(tmp_path.iterdir()) == []
