# SPDX-License-Identifier: GPL-2.0-only
"""Episodes that are recorded while they are watched."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command_calls import small, start
from episode_files import header, write_episode
from made_runs import made_run

from defiance_zoo.recording.viewing.watching.recorded import WatchedEpisodes


def test_the_latest_episode_is_last_and_foreign_paths_are_refused(tmp_path: Path) -> None:
    (tmp_path / "episodes").mkdir()
    episodes = WatchedEpisodes(tmp_path / "episodes")
    assert episodes.listed() == []
    for number, name in enumerate(["b", "a"]):
        header = write_episode(tmp_path / "episodes" / name) / "episode.json"
        os.utime(header, (number, number))
    write_episode(tmp_path / "outside")
    assert [each["name"] for each in episodes.listed()] == ["b", "a"]
    found = episodes.read("a")
    assert found is not None
    assert found["label"] == "a"
    for name in ("../outside", "outside", "", ".", "a/../b"):
        assert episodes.read(name) is None


def test_abandoned_folders_are_not_listed_and_deleted_ones_do_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_episode(tmp_path / ".one-left-1-1")
    folder = write_episode(tmp_path / "one", parts=1)
    look = os.scandir

    def vanish(path: Any) -> Any:
        if str(path) == str(folder / "steps"):
            (folder / "steps").rename(tmp_path / "gone")  # the episode has ended
        return look(path)

    monkeypatch.setattr(os, "scandir", vanish)
    assert [each["name"] for each in WatchedEpisodes(tmp_path).listed()] == ["one"]


def test_running_episodes_are_read_again_and_damaged_ones_reported(tmp_path: Path) -> None:
    folder = write_episode(tmp_path / "one", parts=2)
    episodes = WatchedEpisodes(tmp_path)
    first = episodes.read("one")
    assert first is not None
    assert first is episodes.read("one")
    other = WatchedEpisodes(tmp_path)
    (folder / "episode.json").write_text("{")
    damaged = other.read("one")
    assert damaged is not None
    assert damaged.keys() == {"trouble"}
    assert "one/episode.json" in damaged["trouble"]
    assert other.read("one") is damaged
    (folder / "episode.json").write_text(header(outcome="playing", rounds=None).to_json())
    other.settle()
    assert (other.read("one") or {})["label"] == "one"
    assert episodes.read("two") is None


def test_ctrl_c_ends_the_command(tmp_path: Path) -> None:
    process = start("watch", made_run(tmp_path / "run", rows=1))
    assert process.stdout is not None
    assert process.stdout.readline().startswith("http://127.0.0.1:")
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == ""
    assert process.returncode == 0


@pytest.mark.long
def test_a_training_can_be_watched_from_its_start(tmp_path: Path) -> None:
    """Both commands start at the same time, as in two terminals."""
    training = start(*small(tmp_path / "run", "--quiet"))
    watching = start("watch", tmp_path / "run", stderr=subprocess.PIPE)
    assert watching.stdout is not None
    assert watching.stdout.readline().startswith("http://127.0.0.1:")
    watching.send_signal(signal.SIGINT)
    _, said = watching.communicate(timeout=60)
    training.communicate(timeout=100)
    assert (watching.returncode, training.returncode) == (0, 0)
    assert said == f"{tmp_path / 'run'} has not begun yet: waiting for it. Ctrl-C ends this.\n"
