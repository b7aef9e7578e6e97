# SPDX-License-Identifier: GPL-2.0-only
"""With too few descriptors or a full temporary folder, an error says so and no state is lost."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import PROGRAMS, TRIAL, descriptors_left, over, resources, simulations

from defiance_zoo import errors
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, SimulationAECEnv

Make = Callable[..., Any]
SPEC = EnvironmentSpec("trial_v0", Scenario("trial", PROGRAMS / "trial"))
ENOUGH = 64


def accepts_action(env: Any) -> bool:
    """Return whether an environment takes an action."""
    env.step(3)
    return bool(env.infos["agent_0"]["last_action"] == "3")


def count_needed_descriptors(attempt: Callable[[], Any]) -> int:
    """Attempt something with ever more descriptors; return the first sufficient number."""
    for count in range(ENOUGH):
        with descriptors_left(count):
            try:
                attempt()
            except (errors.SnapshotRefused, errors.TooFewDescriptors) as error:
                reported = str(error)
            else:
                return count
        if "ulimit -n" not in reported:
            pytest.fail(reported)
    pytest.fail(f"{ENOUGH} are not enough")


@pytest.mark.parametrize("launch", ["fork", "spawn"])
def test_a_first_episode_without_descriptors_raises(link: str, launch: str) -> None:
    """No number of descriptors causes a leak, or lets ZeroMQ end the process."""
    before = resources()

    def play() -> None:
        env = SimulationAECEnv(TRIAL, duration="1h", launch=launch, **over(link))
        try:
            env.reset(seed=1)
        finally:
            env.close()

    assert count_needed_descriptors(play) > 0
    assert resources() == before


def test_a_further_episode_without_descriptors_raises(make_aec: Make) -> None:
    env = make_aec(duration="1h")
    env.reset(seed=1)
    with descriptors_left(3), pytest.raises(errors.TooFewDescriptors):
        env.reset(seed=2)
    env.reset(seed=2)
    before = resources()
    for _ in range(3):
        with descriptors_left(3), pytest.raises(errors.TooFewDescriptors):
            env.reset(seed=2)
        env.reset(seed=2)
        assert accepts_action(env)
    assert resources() == before


def test_a_vector_without_descriptors_raises(link: str) -> None:
    before = resources()

    def play() -> None:
        env = SPEC.vector_env(2, **over(link))
        try:
            env.reset(seed=1)
        finally:
            env.close()

    assert count_needed_descriptors(play) > 0
    assert resources() == before


@pytest.mark.parametrize("launch", ["fork", "spawn"])
def test_a_failed_snapshot_leaves_the_episode_running(make_aec: Make, launch: str) -> None:
    env = make_aec(duration="1h", launch=launch)
    env.reset(seed=1)
    kept = env.snapshot()
    before = resources()

    def take_and_release() -> None:
        env.snapshot().release()

    def branch_and_close() -> None:
        env.branch().close()

    def attempt(what: Callable[[], None]) -> None:
        try:
            what()
        finally:
            assert accepts_action(env)

    for what in (take_and_release, branch_and_close, lambda: env.restore(kept)):
        assert count_needed_descriptors(functools.partial(attempt, what)) > 0
    assert resources() == before


def test_a_snapshot_is_released_when_no_descriptor_is_left(make_aec: Make) -> None:
    env = make_aec(duration="1h", launch="spawn")
    env.reset(seed=1)
    alone = len(simulations())
    snapshot = env.snapshot()
    with descriptors_left(0):
        snapshot.release()
    assert len(simulations()) == alone


def folders(tmp_path: Path) -> list[str]:
    (tmp_path / "file").touch()
    (tmp_path / ("long" * 30)).mkdir()
    return [f"{tmp_path}/missing", f"{tmp_path}/file", f"{tmp_path}/{'long' * 30}", "/proc"]


def test_a_full_temporary_folder_raises(
    make_aec: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = make_aec(link="zmq", spin_us=0, duration="1h")
    running = make_aec(duration="1h")
    running.reset(seed=1)
    before = resources()
    for folder in folders(tmp_path):
        monkeypatch.setattr("tempfile.tempdir", folder)
        with pytest.raises(errors.NoTemporaryDirectory, match="TMPDIR"):
            env.reset()
        with pytest.raises(errors.NoTemporaryDirectory, match="TMPDIR"):
            SPEC.vector_env(2, link="zmq")
        with pytest.raises(errors.SnapshotRefused, match="TMPDIR"):
            running.snapshot()
        assert accepts_action(running)
    assert resources() == before
    monkeypatch.undo()
    env.reset()
    running.snapshot().release()
