# SPDX-License-Identifier: GPL-2.0-only
"""Files are written completely or not at all."""

from __future__ import annotations

import resource
import signal
from pathlib import Path

import pytest

from defiance_zoo.bridge.system.whole_files import append, write_whole
from defiance_zoo.errors import NotWritten


def test_a_failed_write_leaves_no_file(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    with pytest.raises(NotWritten, match="there cannot be written: Is a directory"):
        write_whole(there, "text")
    with pytest.raises(NotWritten, match="file cannot be written: No such file"):
        write_whole(tmp_path / "missing" / "file", "text")
    assert list(tmp_path.iterdir()) == [there]


@pytest.mark.parametrize("left", ["", "a\n", "a\nb", "b" * 200_000, "a\n" + "b" * 200_000])
def test_an_incomplete_last_line_is_cut_before_lines_are_appended(
    left: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_text(left)
    append(path, "c\nd\n")
    append(path, "e\n", to_disk=True)
    assert path.read_text() == left[: left.rfind("\n") + 1] + "c\nd\ne\n"


def test_lines_are_appended_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file"
    append(path, "a\n")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        with pytest.raises(NotWritten, match="file cannot be written: File too large"):
            append(path, "b" * 100 + "\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_text() == "a\n"
