# SPDX-License-Identifier: GPL-2.0-only
"""Snapshots are limited and released; a snapshot that cannot be taken does no harm."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from attached_simulations import Attached
from conftest import ROOT, TRIAL, over, resources, simulations

from defiance_zoo import errors
from defiance_zoo.bridge.process.programs import await_end
from defiance_zoo.environments import SimulationAECEnv, Snapshot

Make = Callable[..., Any]


@pytest.fixture(params=["fork", "spawn"])
def launch(request: pytest.FixtureRequest) -> str:
    """Each way of starting simulations."""
    kind: str = request.param
    return kind


@pytest.fixture
def env(make_aec: Make, launch: str) -> Any:
    """An environment in the middle of an episode."""
    env = make_aec(launch=launch, duration="1h")
    env.reset(seed=1)
    env.step(1)
    return env


def accepts_action(env: Any) -> bool:
    """Return whether an environment accepts an action."""
    env.step(3)
    return bool(env.infos["agent_0"]["last_action"] == "3")


@pytest.mark.long
def test_a_hundred_snapshots_leave_nothing_behind(env: Any) -> None:
    env.snapshot().release()
    before = resources()
    for _ in range(100):
        with env.snapshot() as snapshot:
            env.step(2)
            env.restore(snapshot)
    assert resources() == before
    assert accepts_action(env)


@pytest.mark.long
def test_a_hundred_restores_and_branches_leave_nothing_behind(env: Any) -> None:
    env.restore(env.snapshot())
    before = resources()
    snapshot = env.snapshot()
    for _ in range(100):
        env.step(2)
        env.restore(snapshot)
    for _ in range(10):
        other = env.branch()
        assert accepts_action(other)
        other.close()
    snapshot.release()
    assert resources() == before


def test_a_snapshot_is_released_by_each_way_to_end_it(env: Any) -> None:
    alone = len(simulations())
    snapshot = env.snapshot()
    assert len(simulations()) == alone + 1
    assert not snapshot.released
    snapshot.release()
    snapshot.release()
    assert snapshot.released
    assert "released" in repr(snapshot)
    assert len(simulations()) == alone
    with env.snapshot() as snapshot:
        assert len(simulations()) == alone + 1
    assert snapshot.released
    snapshot = env.snapshot()
    del snapshot
    gc.collect()
    assert len(simulations()) == alone
    snapshots = [env.snapshot() for _ in range(3)]
    env.close()
    assert all(snapshot.released for snapshot in snapshots)
    assert simulations() == []


def test_snapshots_of_an_unreferenced_environment_are_released(link: str) -> None:
    before = resources()
    kept = leave_an_environment_behind(link)
    gc.collect()
    assert kept.released
    assert resources() == before


def leave_an_environment_behind(link: str) -> Snapshot:
    """Return a snapshot of an environment that has no other reference."""
    env = SimulationAECEnv(TRIAL, duration="1h", **over(link))
    env.reset()
    snapshot: Snapshot = env.snapshot()
    return snapshot


def test_more_than_max_snapshots_raise(make_aec: Make) -> None:
    env = make_aec(max_snapshots=2, duration="1h")
    env.reset()
    snapshots = [env.snapshot(), env.snapshot()]
    with pytest.raises(errors.TooManySnapshots, match=r"has 2 snapshots: release\(\)"):
        env.snapshot()
    assert accepts_action(env)
    other = env.branch()  # a branch has no snapshots
    other.close()
    snapshots.pop()
    gc.collect()
    env.snapshot()


@pytest.mark.parametrize("value", [0, -1, 2.5, True, "many"])
def test_invalid_max_snapshots_are_refused(make_aec: Make, value: Any) -> None:
    with pytest.raises(errors.ParameterError, match="max_snapshots"):
        make_aec(max_snapshots=value)


def test_restore_of_a_foreign_or_closed_snapshot_raises(env: Any, make_aec: Make) -> None:
    snapshot = env.snapshot()
    other = make_aec(duration="1h")
    other.reset()
    with pytest.raises(errors.InvalidSnapshot, match="another environment"):
        other.restore(snapshot)
    assert accepts_action(other)
    snapshot.release()
    with pytest.raises(errors.InvalidSnapshot, match="released"):
        env.restore(snapshot)
    with pytest.raises(errors.InvalidSnapshot, match="needs a snapshot, not NoneType"):
        env.restore(None)
    assert accepts_action(env)


def test_restore_of_a_killed_snapshot_raises(env: Any) -> None:
    alone = {process.pid for process in simulations()}
    snapshot = env.snapshot()
    frozen = snapshot._frozen._program  # the snapshot is ready
    assert {process.pid for process in simulations()} - alone == {frozen.pid}
    os.kill(frozen.pid, signal.SIGKILL)
    await_end(frozen.exit_fd)
    with pytest.raises(errors.SnapshotLost, match=f"process {frozen.pid} .* killed by SIGKILL"):
        env.restore(snapshot)
    assert accepts_action(env)
    snapshot.release()
    assert len(simulations()) == len(alone)


def test_a_snapshot_lost_during_restore_raises(env: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is alive when it is requested, and the running simulation has been ended for it."""
    snapshot = env.snapshot()
    launcher = env._episodes.launcher
    stop = launcher.stop

    def stop_and_kill(**arguments: Any) -> None:
        monkeypatch.undo()
        stop(**arguments)
        os.kill(snapshot._frozen._program.pid, signal.SIGKILL)
        await_end(snapshot._frozen._program.exit_fd)

    monkeypatch.setattr(launcher, "stop", stop_and_kill)
    with pytest.raises(errors.SnapshotLost):
        env.restore(snapshot)
    assert env.agents == []
    with pytest.raises(errors.ResetNeeded):
        env.step(0)
    env.reset(seed=1)
    assert accepts_action(env)


def test_restore_works_after_a_crash(env: Any) -> None:
    snapshot = env.snapshot()
    for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGKILL):
        process = env._episodes.launcher.simulation._process
        signal.pidfd_send_signal(process.exit_fd, number)
        with pytest.raises(errors.SimulationCrashed, match=f"was killed by {number.name}"):
            env.step(0)
        assert env.agents == []
        env.restore(snapshot)
        assert env.infos["agent_0"]["last_action"] == "1"
        assert accepts_action(env)


def test_a_crash_while_a_snapshot_is_taken_raises(env: Any) -> None:
    """The simulation is dead before it receives the request."""
    kept = env.snapshot()
    process = env._episodes.launcher.simulation._process
    signal.pidfd_send_signal(process.exit_fd, signal.SIGKILL)
    with pytest.raises(errors.SimulationCrashed, match="was killed by SIGKILL"):
        env.snapshot()
    assert env.agents == []
    with pytest.raises(errors.ResetNeeded):
        env.snapshot()
    env.restore(kept)
    assert accepts_action(env)


def test_ctrl_c_during_restore_leaves_a_usable_environment(
    env: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C comes while Python waits for the restored simulation."""
    snapshot = env.snapshot()
    env.restore(snapshot)
    before = resources()
    link = env._episodes.launcher._link

    def interrupt(*_: object) -> bytes:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(link, "receive", interrupt)
        with pytest.raises(KeyboardInterrupt):
            env.restore(snapshot)
    assert env.agents == []
    assert resources()["processes"] == before["processes"] - 1
    env.restore(snapshot)
    assert accepts_action(env)
    assert resources() == before


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_simulation_with_threads_has_no_snapshots(
    make_aec: Make, launch: str, moment: str
) -> None:
    """The simulation starts a thread at its fourth decision."""
    env = make_aec(scenario_case="thread", launch=launch, duration="1h")
    env.reset(seed=1)
    snapshot = env.snapshot()
    for _ in range(4):
        env.step(1)
    for attempt in (env.snapshot, env.branch):
        with pytest.raises(errors.SnapshotRefused, match="threads"):
            attempt()
    assert accepts_action(env)
    env.restore(snapshot)
    env.snapshot()
    assert accepts_action(env)


def test_a_simulation_in_real_time_has_no_snapshots(
    make_aec: Make, launch: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NS_GLOBAL_VALUE", "SimulatorImplementationType=ns3::RealtimeSimulatorImpl")
    env = make_aec(launch=launch, duration="1h", interval="1ms")
    env.reset()
    with pytest.raises(errors.SnapshotRefused, match="RealtimeSimulatorImpl"):
        env.snapshot()
    assert accepts_action(env)


def test_a_simulation_started_by_hand_has_no_snapshots(make_aec: Make) -> None:
    env = make_aec(launch="attach", duration="1h")
    attached = Attached(env)
    with pytest.raises(errors.SnapshotRefused, match="by hand"):
        env.snapshot()
    assert accepts_action(env)
    env.close()
    assert attached.process.wait(10) == 0


@pytest.mark.long
def test_snapshots_end_when_python_exits(launch: str, link: str) -> None:
    program = textwrap.dedent(f"""
        import os, psutil, signal, sys
        from conftest import TRIAL, over, simulations
        from defiance_zoo.environments import SimulationAECEnv
        env = SimulationAECEnv(TRIAL, duration="1h", launch="{launch}", **over("{link}"))
        env.reset()
        snapshots = [env.snapshot() for _ in range(3)]
        env.restore(snapshots[0])
        other = env.branch()
        print(*(process.pid for process in simulations()), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    path = f"{ROOT}:{ROOT / 'tests'}"
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == -signal.SIGKILL
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) == 5
    left = [each for each in psutil.process_iter() if each.pid in pids]
    _, alive = psutil.wait_procs(left, timeout=10)
    assert [each for each in alive if each.status() != psutil.STATUS_ZOMBIE] == []


def test_a_forked_python_does_not_release_snapshots(env: Any) -> None:
    snapshot = env.snapshot()
    child = os.fork()
    if child == 0:
        snapshot.release()
        env.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    env.restore(snapshot)
    assert accepts_action(env)


def test_no_temporary_folder_is_left(
    env: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with env.snapshot():
        env.branch().close()
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / ("long" * 30)))
    (tmp_path / ("long" * 30)).mkdir()
    with pytest.raises(errors.SnapshotRefused, match="a socket there allows"):
        env.snapshot()
    assert accepts_action(env)
