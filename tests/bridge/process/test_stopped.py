# SPDX-License-Identifier: GPL-2.0-only
"""Processes that are stopped, as by SIGSTOP: nothing waits longer for them than was said."""

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
from defiance_zoo.environments import EnvironmentSpec

Make = Callable[..., Any]
SPEC = EnvironmentSpec("trial_v0", Scenario("trial", PROGRAMS / "trial"))
TIMEOUT_S = 0.5
MEMBERS = 8
ALLOWED_S = 5 * TIMEOUT_S
"""Less than the timeouts of all members of a vector, and than any that is not ours."""


def lasts(attempt: Callable[[], Any], error: type[Exception]) -> float:
    """Return how long an attempt takes to fail."""
    began = time.monotonic()
    with pytest.raises(error):
        attempt()
    return time.monotonic() - began


def test_an_action_that_no_pipe_has_room_for(make_aec: Make) -> None:
    env = make_aec(scenario_case="echo", wide=100_000, duration="1h", timeout=TIMEOUT_S)
    env.reset(seed=1)
    action = env.action_space("agent_0").sample()
    env.step(action)
    (simulation,) = simulations()
    simulation.suspend()
    assert lasts(lambda: env.step(action), errors.SimulationTimeout) < ALLOWED_S
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


def test_a_stopped_snapshot_is_lost_in_time(make_aec: Make) -> None:
    env = make_aec(duration="1h", timeout=TIMEOUT_S)
    env.reset(seed=1)
    snapshot = env.snapshot()
    os.kill(snapshot._frozen._program.pid, signal.SIGSTOP)
    assert lasts(lambda: env.restore(snapshot), errors.SnapshotLost) < ALLOWED_S
    snapshot.release()
    env.reset()


@pytest.mark.long
def test_timeouts_of_a_vector_do_not_add_up(link: str) -> None:
    """Nor does the time that simulations have to end in order."""
    arguments = {"timeout": TIMEOUT_S, "restart_on_failure": True, "duration": "1h", **over(link)}
    env = SPEC.vector_env(MEMBERS, **arguments)
    env.reset(seed=1)
    for steps in (0, 3):
        for _ in range(steps):  # after some they may be answered in one call
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
def test_nothing_that_is_stopped_outlives_python(link: str, launch: str) -> None:
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
