# SPDX-License-Identifier: GPL-2.0-only
"""Whose checkpoints are loaded without a word, and when they are on disk."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest

from defiance_zoo.errors import UnknownOriginWarning
from defiance_zoo.training import Evaluation, RunConfig, evaluate, resume, train
from defiance_zoo.training.checkpoints import Counters, find_checkpoint, save_checkpoint
from defiance_zoo.training.origin import warn_of_unknown_origin


def save(run: Path) -> Path:
    """Save a checkpoint, and return its folder."""

    def write(folder: Path) -> None:
        (folder / "nested").mkdir()
        (folder / "nested" / "weights.pkl").write_text("weights")

    config = RunConfig(env="cart_pole_v0")
    run.mkdir(exist_ok=True)
    save_checkpoint(run / "checkpoints", config, Counters(steps=10), write, best=True)
    return find_checkpoint(run).folder


def be_another(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Become a user with another key."""
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "of-another"))


def test_ones_own_is_loaded_without_a_word(tmp_path: Path) -> None:
    folder = save(tmp_path / "run")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_unknown_origin(folder)
        warn_of_unknown_origin(folder.rename(tmp_path / "moved"))


@pytest.mark.parametrize("name", ["trainer/nested/weights.pkl", "config.yaml", "signature"])
def test_what_was_changed_is_told(name: str, tmp_path: Path) -> None:
    folder = save(tmp_path)
    with (folder / name).open("a") as file:
        file.write("#")
    with pytest.warns(UnknownOriginWarning, match="pickles, which can run any code"):
        warn_of_unknown_origin(folder)


def test_what_was_added_is_told(tmp_path: Path) -> None:
    folder = save(tmp_path)
    (folder / "trainer" / "normalize.pkl").write_text("more")
    with pytest.warns(UnknownOriginWarning):
        warn_of_unknown_origin(folder)


def test_what_another_user_wrote_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = save(tmp_path)
    be_another(monkeypatch, tmp_path)
    with pytest.warns(UnknownOriginWarning):
        warn_of_unknown_origin(folder)
    key = tmp_path / "of-another" / "defiance-zoo" / "key"
    assert key.stat().st_mode & 0o077 == 0  # nobody else's to read
    assert [path.name for path in key.parent.iterdir()] == ["key"]


def test_who_can_keep_no_key_saves_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    folder = save(tmp_path / "run")
    with pytest.warns(UnknownOriginWarning):
        warn_of_unknown_origin(folder)


def test_evaluating_and_resuming_tell(
    targets: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = RunConfig(
        env=targets,
        steps=64,
        hyperparameters={"n_steps": 32, "batch_size": 32},
        evaluation=Evaluation(episodes=1),
    )
    run = train(config, tmp_path / "run").run
    be_another(monkeypatch, tmp_path)
    with pytest.warns(UnknownOriginWarning):
        evaluate(run)
    with pytest.warns(UnknownOriginWarning):
        resume(run, until=128)


def test_a_checkpoint_is_on_disk_before_it_is_the_last(
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
