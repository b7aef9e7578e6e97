# SPDX-License-Identifier: GPL-2.0-only
"""Trace files of a simulation contain the path of the final episode only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import PROGRAMS

from defiance_zoo.bridge.simulation import Scenario

Make = Callable[..., Any]
TRACING = Scenario("tracing", PROGRAMS / "tracing")
FILES = {"trace-0-0.pcap", "trace.tr", "diary.txt"}


@pytest.fixture(params=["fork", "spawn"])
def launch(request: pytest.FixtureRequest) -> str:
    """Each way of starting simulations."""
    kind: str = request.param
    return kind


@pytest.fixture
def make(make_aec: Make, tmp_path: Path, launch: str) -> Callable[[str], Any]:
    """Make an environment that has begun an episode and writes into a folder of this name."""

    def make(folder: str) -> Any:
        (tmp_path / folder).mkdir()
        env = make_aec(TRACING, launch=launch, directory=str(tmp_path / folder))
        env.reset(seed=1)
        return env

    return make


def read(folder: Path) -> dict[str, bytes]:
    """Return the contents of the files in a folder."""
    contents = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(contents) == FILES
    return contents


def play(env: Any, start: int, turns: int = 1000) -> None:
    """Send 0, 1, ..., 9, 0, ... packets, up to the end at most."""
    for turn in range(start, start + turns):
        if env.truncations["agent_0"]:
            return
        env.step(turn % 10)


def test_trace_files_lack_what_a_restored_episode_undid(
    make: Callable[[str], Any], tmp_path: Path
) -> None:
    """Long detours fill the buffers; short ones leave them full."""
    plain = make("plain")
    play(plain, 0)
    plain.close()
    env = make("detour")
    for begin in (0, 30, 31, 60):
        play(env, begin, {0: 30, 30: 1, 31: 29, 60: 10}[begin])
        snapshot = env.snapshot()
        for turns in (1, 7, 40):
            play(env, 5, turns)
            env.restore(snapshot)
        snapshot.release()
    play(env, 70)
    env.close()
    assert read(tmp_path / "detour") == read(tmp_path / "plain")
    assert min(map(len, read(tmp_path / "plain").values())) > 500


def test_trace_files_continue_after_a_restore_from_the_end(
    make: Callable[[str], Any], tmp_path: Path
) -> None:
    """The simulation has closed all files, or will."""
    plain = make("plain")
    play(plain, 0)
    plain.close()
    env = make("env")
    play(env, 0, 20)
    snapshot = env.snapshot()
    play(env, 20)
    env.restore(snapshot)
    play(env, 5)
    env.restore(snapshot)
    play(env, 20)
    env.close()
    assert read(tmp_path / "env") == read(tmp_path / "plain")


def test_a_branch_writes_no_trace_files(make: Callable[[str], Any], tmp_path: Path) -> None:
    plain = make("plain")
    play(plain, 0)
    plain.close()
    env = make("env")
    play(env, 0, 20)
    other = env.branch()
    play(other, 9, 30)
    play(env, 20, 30)
    with other.snapshot() as snapshot:
        play(other, 3, 10)
        other.restore(snapshot)
        play(other, 5)
    play(env, 50)
    env.close()
    other.close()
    assert read(tmp_path / "env") == read(tmp_path / "plain")


def test_a_branch_writes_trace_files_after_its_reset(
    make: Callable[[str], Any], tmp_path: Path
) -> None:
    plain = make("plain")
    play(plain, 0)
    plain.close()
    env = make("env")
    play(env, 0, 20)
    other = env.branch()
    env.close()
    other.reset(seed=1)
    play(other, 0)
    other.close()
    assert read(tmp_path / "env") == read(tmp_path / "plain")
