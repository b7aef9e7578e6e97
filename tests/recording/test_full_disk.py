# SPDX-License-Identifier: GPL-2.0-only
"""Folders are complete or absent, also on a full disk, and after a kill."""

from __future__ import annotations

import contextlib
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from limited_programs import variables

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError, RecordingNotWritten
from defiance_zoo.experiments.study import read_study, run_study
from defiance_zoo.experiments.training import train
from defiance_zoo.experiments.training.run_config_file import build_config
from defiance_zoo.experiments.workbench.signing_key import require_key
from defiance_zoo.recording import find_episodes, read_episode


@contextlib.contextmanager
def no_room_in_files() -> Iterator[None]:
    """Prevent writes to files: each one fails like on a full disk, also for root."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


def names(folder: Path) -> list[str]:
    """Return the files in a folder, hidden names included, at any depth."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_an_episode_that_cannot_be_recorded_leaves_no_folder(tmp_path: Path) -> None:
    folder = tmp_path / "episodes"
    env = lookup("cart_pole_v0").parallel_env(record=folder, duration="200ms")
    with no_room_in_files():
        for seed in range(3):
            with pytest.raises(ParameterError, match=r"cannot be recorded in .*: File too large"):
                env.reset(seed=seed)
    assert names(tmp_path) == []
    env.reset(seed=1)
    assert [path.name for path in folder.iterdir()] == ["cart_pole_v0-000001"]
    env.close()


def test_an_episode_whose_recording_fails_midway_can_be_read(tmp_path: Path) -> None:
    env = lookup("cart_pole_v0").parallel_env(record=tmp_path, duration="200ms")
    env.reset(seed=1)
    env.step(dict.fromkeys(env.agents, 0))
    with no_room_in_files(), contextlib.suppress(RecordingNotWritten):
        env.close()
    (episode,) = find_episodes(tmp_path)
    assert read_episode(episode).header.outcome in ("playing", "unfinished")


KILLED = """
import os, signal, sys
from defiance_zoo.environments import lookup
from defiance_zoo.bridge.simulation.launcher import Launcher

def killed(self):
    os.kill(os.getpid(), signal.SIGKILL)
Launcher._opened = killed  # before the simulation of the first episode is started
lookup("cart_pole_v0").parallel_env(record=sys.argv[1]).reset(seed=7)
"""


def test_an_episode_whose_process_is_killed_immediately_can_be_read(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    done = subprocess.run(command, env=variables(), check=False)
    assert done.returncode == -signal.SIGKILL
    (folder,) = find_episodes(tmp_path)
    episode = read_episode(folder)
    assert (episode.header.outcome, episode.header.seed) == ("playing", 7)
    assert names(tmp_path) == ["cart_pole_v0-000001", "cart_pole_v0-000001/episode.json"]


def test_a_study_that_cannot_be_written_leaves_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    policies = "policies: {feedback: {baseline: state_feedback}}"
    file.write_text(f"env: cart_pole_v0\n{policies}\ngrid: {{loss: [0]}}\nepisodes: 1\n")
    study = read_study(file)
    with no_room_in_files(), pytest.raises(OSError, match="File too large"):
        run_study(study, tmp_path / "out", workers=1)
    assert not (tmp_path / "out").exists()
    assert run_study(study, tmp_path / "out", workers=1).failed == 0


def test_a_run_that_cannot_be_written_leaves_no_folder(tmp_path: Path) -> None:
    values: dict[str, Any] = {"env": "cart_pole_v0", "steps": 64, "parameters": {}}
    require_key(trust=False)  # the key is made before the disk is full
    with no_room_in_files(), pytest.raises(OSError, match="File too large"):
        train(build_config(values), tmp_path / "run")
    assert not (tmp_path / "run").exists()
