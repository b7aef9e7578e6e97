# SPDX-License-Identifier: GPL-2.0-only
"""Disks that lose or tear unsynced writes at a crash, fail with EIO, or are full."""

from __future__ import annotations

import errno
import random
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from partition_support import draw, hashes

from defiance_zoo.environments import lookup
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.scenario.replicas.file_handles import MemoryMap, OpenFile
from defiance_zoo.scenario.replicas.files import DiskFaults, Files
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

RAFT = str(ROOT / "tests" / "scenario" / "programs" / "raft_on_files.py")
HARSH: dict[str, Any] = {"max_inactive": 3, "crash_limit": 100, "horizon": 50}


def make(**faults: Any) -> Files:
    """Return a disk with a file `/disk/a`, of which only "old" is synced."""
    files = Files()
    files.faults = DiskFaults(random.Random(1).random, **faults)
    file = write(files, "/disk/a", b"old")
    file.sync()
    file.write(b" and new")
    return files


def write(files: Files, path: str, data: bytes) -> OpenFile:
    file = OpenFile(path, "w", files, lambda: True)
    file.write(data)
    return file


def crash(files: Files, path: str = "/disk/a") -> bytes:
    files.crash()
    return bytes(files.contents[path])


def test_a_crash_keeps_loses_or_tears_unsynced_writes() -> None:
    assert crash(make()) == b"old and new"
    assert crash(make(unsynced="lost")) == b"old"
    files, torn = make(unsynced="torn"), set()
    for _ in range(60):
        write(files, "/disk/a", b"old").sync()
        OpenFile("/disk/a", "a", files, lambda: True).write(b" and new")
        torn.add(crash(files))
    assert torn == {b"old and new"[:length] for length in range(3, 12)}


def test_a_renamed_file_without_a_sync_is_empty_after_a_crash() -> None:
    files = make(unsynced="lost")
    write(files, "/disk/b", b"renamed")
    files.rename("/disk/b", "/disk/a")
    assert crash(files) == b""


def test_the_flush_of_a_memory_map_survives() -> None:
    files = make(unsynced="lost")
    mapped = MemoryMap(OpenFile("/disk/a", "r+", files, lambda: True), 0)
    mapped[:3] = b"NEW"
    mapped.flush()
    mapped[:3] = b"bad"
    assert crash(files) == b"NEW and new"


def test_a_full_disk_refuses_growth_and_keeps_the_content() -> None:
    files = make(size=14)
    with pytest.raises(OSError, match="No space left") as raised:
        write(files, "/disk/b", b"1234")
    assert raised.value.errno == errno.ENOSPC
    assert files.contents["/disk/b"] == b""
    write(files, "/disk/b", b"123")
    files.truncate("/disk/a", 2)
    write(files, "/disk/b", b"123456789")


def test_writes_and_syncs_fail_as_often_as_the_parameter_says() -> None:
    files = Files()
    files.faults = DiskFaults(random.Random(1).random, errors=0.25)
    file, failed = OpenFile("/disk/a", "a", files, lambda: True), []
    for call in (lambda: file.write(b"x"), file.sync, lambda: files.truncate("/disk/a", 0)):
        count = 0
        for _ in range(400):
            try:
                call()
            except OSError as error:
                count += error.errno == errno.EIO
        failed.append(count)
    assert all(70 < count < 130 for count in failed)


@pytest.mark.parametrize("fate", ["lost", "torn"])
def test_random_tests_find_a_missing_fsync_of_raft(fate: str) -> None:
    """The same test is silent with the fsync, or if crashes keep unsynced writes."""
    found = []
    for bug, unsynced in (("no_fsync", fate), ("", fate), ("no_fsync", "kept")):
        env = GymnasiumEnv(lookup(RAFT), link="local", bug=bug, disk_unsynced=unsynced, **HARSH)
        with closing(env):
            visits = make_explorer("random", 1, {}).explore(env, steps=50, seed=1)
            found.append(any(visit.info["violations"] for visit in visits))
    assert found == [True, False, False]


def test_faults_repeat_in_forked_and_spawned_simulations() -> None:
    faults = {"disk_unsynced": "torn", "disk_errors": 0.0}
    told = []
    for launch in ("fork", "spawn"):
        with closing(lookup(RAFT).raw_env(link="local", launch=launch, **faults, **HARSH)) as env:
            told.append(hashes(env, draw(2)))
    assert told[0] == told[1]


def test_a_disk_does_what_linux_does(tmp_path: Path) -> None:
    """Random programs: equal results and errors, and equal contents after each step."""
    words = [sys.executable, str(Path(__file__).with_name("disk_twin.py")), "1", "400", tmp_path]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0), done.stderr
