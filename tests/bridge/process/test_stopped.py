# SPDX-License-Identifier: GPL-2.0-only
"""Processes stopped by SIGSTOP: Python waits for them no longer than the timeout.

The time in which Python itself is stopped does not count.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import psutil
import pytest
from conftest import PROGRAMS, TESTS, fork_servers, over, simulations

from defiance_zoo import errors
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.bridge.system.running_time import running_time, slice_ms
from defiance_zoo.environments import EnvironmentSpec

Make = Callable[..., Any]
SPEC = EnvironmentSpec("trial_v0", Scenario("trial", PROGRAMS / "trial"))
TIMEOUT_S = 0.5
MEMBERS = 8
ALLOWED_S = 5 * TIMEOUT_S
"""Less than the sum of a vector's timeouts, and less than any other timeout."""


def seconds_until_error(attempt: Callable[[], Any], error: type[Exception]) -> float:
    """Return how long an attempt takes to fail."""
    began = time.monotonic()
    with pytest.raises(error):
        attempt()
    return time.monotonic() - began


def test_sending_an_action_times_out_if_the_pipe_is_full(make_aec: Make) -> None:
    env = make_aec(scenario_case="echo", wide=100_000, duration="1h", timeout=TIMEOUT_S)
    env.reset(seed=1)
    action = env.action_space("agent_0").sample()
    env.step(action)
    (simulation,) = simulations()
    simulation.suspend()
    assert seconds_until_error(lambda: env.step(action), errors.SimulationTimeout) < ALLOWED_S
    env.reset(seed=1)
    env.step(action)


def test_a_stopped_server_is_replaced(make_aec: Make) -> None:
    env = make_aec(duration="1h", timeout=TIMEOUT_S)
    env.reset(seed=1)
    (server,) = fork_servers()
    server.suspend()
    began = time.monotonic()
    env.reset(seed=1)
    assert time.monotonic() - began < ALLOWED_S
    (other,) = fork_servers()
    assert other != server
    assert not server.is_running()
    env.step(0)


def test_a_stopped_snapshot_is_lost_after_the_timeout(make_aec: Make) -> None:
    env = make_aec(duration="1h", timeout=TIMEOUT_S)
    env.reset(seed=1)
    snapshot = env.snapshot()
    os.kill(snapshot._frozen._program.pid, signal.SIGSTOP)
    assert seconds_until_error(lambda: env.restore(snapshot), errors.SnapshotLost) < ALLOWED_S
    snapshot.release()
    env.reset()


@pytest.mark.long
def test_timeouts_of_simulations_of_a_vector_do_not_add_up(link: str) -> None:
    """The times that simulations have for an orderly end do not add up either."""
    arguments = {"timeout": TIMEOUT_S, "restart_on_failure": True, "duration": "1h", **over(link)}
    env = SPEC.vector_env(MEMBERS, **arguments)
    env.reset(seed=1)
    for steps in (0, 3):
        for _ in range(steps):  # after some steps, one call may answer all simulations
            env.step(np.zeros(MEMBERS, np.int64))
        for simulation in simulations():
            simulation.suspend()
        began = time.monotonic()
        *_, truncations, _ = env.step(np.zeros(MEMBERS, np.int64))
        assert time.monotonic() - began < ALLOWED_S
        assert truncations.all()
        env.reset(seed=1)
    for simulation in simulations():
        simulation.suspend()
    began = time.monotonic()
    env.close()
    assert time.monotonic() - began < 2 * 2.0  # which is twice the time of one


WAITING_PEER = """
import sys
from conftest import TRIAL, over, simulations
from defiance_zoo.environments import SimulationAECEnv
env = SimulationAECEnv(TRIAL, duration="1h", **over(sys.argv[1]))
env.reset(seed=1)
env._episodes.launcher.simulation._timeout_s = float(sys.argv[2])  # too short for a start
(simulation,) = simulations()
simulation.suspend()
print(simulation.pid, flush=True)
env.step(0)
print("stepped", flush=True)
"""
STOP_S = 3.0


def test_the_time_in_which_python_is_stopped_does_not_count() -> None:
    """Simulation and Python are stopped for longer than the timeout, as by `scontrol suspend`."""
    peers = []
    for link in ("zmq", "local", "spin"):
        command = [sys.executable, "-c", WAITING_PEER, link, str(STOP_S - 0.5)]
        environment = {**os.environ, "PYTHONPATH": TESTS}
        peers.append(
            subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
            )
        )
    programs = []
    for each in peers:
        assert each.stdout is not None
        programs.append(psutil.Process(int(each.stdout.readline())))
    for each in peers:
        each.send_signal(signal.SIGSTOP)
    time.sleep(STOP_S)
    for each in peers:
        each.send_signal(signal.SIGCONT)
    for simulation in programs:
        simulation.resume()
    assert [each.communicate() for each in peers] == [("stepped\n", "")] * len(peers)


def test_the_clock_of_timeouts_skips_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    began = running_time()
    for pause in (0.25, 1.0, 3600.0, 1.5, 2.5):
        now += pause
        running_time()
    assert running_time() - began == pytest.approx(2.75)
    assert [slice_ms(left) for left in (-1.0, 0.0, 0.0001, 0.5, 60.0)] == [0, 0, 1, 500, 1000]


PYTHON_PEER = """
import os, signal, sys
from conftest import TRIAL, fork_servers, over, simulations
from defiance_zoo.environments import SimulationAECEnv
env = SimulationAECEnv(TRIAL, duration="1h", launch=sys.argv[2], **over(sys.argv[1]))
env.reset()
env.step(0)
stopped = simulations() + fork_servers()
for each in stopped:
    each.suspend()
print(*(each.pid for each in stopped), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.long
@pytest.mark.parametrize("launch", ["fork", "spawn"])
def test_no_stopped_process_outlives_python(link: str, launch: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PYTHON_PEER, link, launch],
        check=False,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": TESTS},
    )
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) == (2 if launch == "fork" else 1)
    left = [each for each in psutil.process_iter() if each.pid in pids]
    _, alive = psutil.wait_procs(left, timeout=10)
    assert [each for each in alive if each.status() != psutil.STATUS_ZOMBIE] == []
