# SPDX-License-Identifier: GPL-2.0-only
"""Files are written completely or not at all."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from defiance_zoo.bridge.system.whole_files import write_new, write_whole


def write_some(folder: Path, word: str) -> None:
    """Write fifty files under the first names that are free."""
    for _ in range(50):
        write_new((folder / f"{number}.txt" for number in range(1000)), word * 1000)


def test_each_new_file_gets_its_own_name(tmp_path: Path) -> None:
    """Two processes write at once."""
    spawning = multiprocessing.get_context("spawn")
    others = [spawning.Process(target=write_some, args=(tmp_path, word)) for word in "ab"]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert {each.name for each in tmp_path.iterdir()} == {f"{n}.txt" for n in range(100)}
    contents = [each.read_text() for each in tmp_path.iterdir()]
    assert sorted(contents) == ["a" * 1000] * 50 + ["b" * 1000] * 50


def test_a_failed_write_leaves_no_file(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    with pytest.raises(FileExistsError):
        write_new([there], "text")
    with pytest.raises(IsADirectoryError):
        write_whole(there, "text")
    with pytest.raises(FileNotFoundError):
        write_new([tmp_path / "missing" / "file"], "text")
    assert list(tmp_path.iterdir()) == [there]
