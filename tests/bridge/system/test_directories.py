# SPDX-License-Identifier: GPL-2.0-only
"""Folders of a killed Python process are deleted by the next one; other folders are kept."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import TESTS, TRIAL

from defiance_zoo import errors
from defiance_zoo.bridge.system.directories import PrivateDirectory, sweep
from defiance_zoo.environments import SimulationAECEnv

PEER = """
import os, signal, sys
from conftest import TRIAL
from defiance_zoo.environments import SimulationAECEnv
env = SimulationAECEnv(TRIAL, duration="1h")
env.reset()
print("ready", flush=True)
sys.stdin.readline()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for temporary files."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    sweep.cache_clear()
    yield tmp_path
    sweep.cache_clear()


def start_peer() -> subprocess.Popen[str]:
    """Start a Python process that plays an episode, and wait until it does."""
    python = subprocess.Popen(
        [sys.executable, "-c", PEER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": TESTS},
    )
    assert python.stdout is not None
    assert python.stdout.readline() == "ready\n"
    return python


@pytest.mark.parametrize("kind", ["zmq", "local"])
def test_folders_of_a_killed_python_are_deleted_at_the_next_start(folder: Path, kind: str) -> None:
    with start_peer() as dead:
        (left,) = folder.iterdir()
        dead.kill()
        dead.wait()
    assert left.exists()
    env = SimulationAECEnv(TRIAL, link=kind)
    env.reset()
    assert not left.exists()
    env.close()
    assert list(folder.iterdir()) == []


def test_folders_of_a_living_python_are_kept(folder: Path) -> None:
    with start_peer() as alive:
        alive.send_signal(signal.SIGSTOP)  # a stopped process is alive
        (theirs,) = folder.iterdir()
        env = SimulationAECEnv(TRIAL)
        env.reset()
        env.close()
        assert list(folder.iterdir()) == [theirs]
        alive.send_signal(signal.SIGCONT)
        alive.communicate("\n", 30)
    assert list(folder.iterdir()) == []


def test_folders_that_may_be_in_use_are_kept(folder: Path) -> None:
    ready = PrivateDirectory()
    sweep.cache_clear()
    (folder / "defiance-without-a-lock").mkdir()
    (folder / "defiance-file").touch()
    abandoned = folder / "defiance-abandoned"
    abandoned.mkdir()
    (abandoned / "owner").touch()
    (folder / "defiance-link").symlink_to(abandoned)
    (folder / "others-abandoned").mkdir()
    (folder / "others-abandoned" / "owner").touch()
    stranger = folder / "defiance-of-another-user"
    stranger.mkdir()
    (stranger / "owner").touch()
    if os.geteuid() == 0:
        os.chown(stranger, 12345, 12345)
    kept = {each.name for each in folder.iterdir()} - {"defiance-abandoned"}
    if os.geteuid() != 0:
        kept -= {stranger.name}
    sweep()
    assert {each.name for each in folder.iterdir()} == kept
    ready.close()
    ready.close()
    assert not ready.path.exists()


def test_a_fork_of_python_deletes_no_folder(folder: Path) -> None:
    made = PrivateDirectory()
    child = os.fork()
    if child == 0:
        made.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert made.path.exists()
    sweep.cache_clear()
    sweep()
    assert made.path.exists()  # still locked
    made.close()
    assert list(folder.iterdir()) == []


def test_a_long_path_for_temporary_files_is_refused_by_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names of sockets have at most 107 bytes."""
    for length, fits in ((80, True), (81, False)):
        parent = folder / ("x" * (length - len(str(folder)) - 1))
        parent.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(parent))
        if fits:
            made = PrivateDirectory()
            with socket.socket(socket.AF_UNIX) as bound:
                bound.bind(str(made.path / "snapshot"))
            made.close()
        else:
            with pytest.raises(errors.NoTemporaryDirectory, match=r"has 81 bytes.*set TMPDIR"):
                PrivateDirectory()


def test_folders_for_temporary_files_that_cannot_be_used_are_refused_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Messages hold paths in UTF-8; in a container without writable folders, there is none."""
    monkeypatch.setattr(tempfile, "tempdir", "/tmp/\udcc3\udca4")
    with pytest.raises(errors.NoTemporaryDirectory, match=r"is not in UTF-8.*set TMPDIR"):
        PrivateDirectory()
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", list)
    with pytest.raises(errors.NoTemporaryDirectory, match="No usable temporary directory"):
        PrivateDirectory()
