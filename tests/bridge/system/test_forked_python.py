# SPDX-License-Identifier: GPL-2.0-only
"""Forks of the user's Python neither play, keep alive nor end their parent's simulations."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import psutil
import pytest
from conftest import PROGRAMS, TESTS, fork_servers, over, simulations
from programs import Program

from defiance_zoo import errors
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

Make = Callable[..., Any]
SPEC = EnvironmentSpec("trial_v0", Scenario("trial", PROGRAMS / "trial"))
# Python warns of forks in processes with threads; ZeroMQ and other tests start threads.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


def in_a_fork(do: Callable[[], None]) -> None:
    """Call a function in a fork of this process, and fail if it fails there."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            do()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def refuses(attempt: Callable[[], Any]) -> None:
    """Check that the call is refused with an error that names the fork."""
    with pytest.raises(errors.InheritedEpisode, match=r"parent process plays .* call reset\(\)"):
        attempt()


def test_a_fork_cannot_play_its_parents_episode(make_aec: Make, make_parallel: Make) -> None:
    aec, parallel = make_aec(duration="1h"), make_parallel(duration="1h")
    single = GymnasiumEnv(SPEC, duration="1h")
    aec.reset(seed=1)
    parallel.reset(seed=1)
    single.reset(seed=1)
    snapshot = aec.snapshot()

    def play() -> None:
        refuses(lambda: aec.step(0))
        refuses(lambda: parallel.step({"agent_0": 0}))
        refuses(lambda: single.step(0))
        refuses(aec.snapshot)
        refuses(aec.branch)
        refuses(lambda: aec.restore(snapshot))
        for env in (aec, single):
            env.reset(seed=5)
            env.step(2)
        assert aec.infos["agent_0"]["last_action"] == "2"
        assert len(simulations()) == 2
        aec.close()
        single.close()
        assert fork_servers() == []

    in_a_fork(play)
    aec.step(3)
    assert aec.infos["agent_0"]["last_action"] == "3"
    parallel.step({"agent_0": 3})
    single.step(3)
    aec.restore(snapshot)
    aec.step(4)
    single.close()


def test_a_fork_cannot_play_its_parents_vector(link: str) -> None:
    actions = np.full(3, 2)
    env = SPEC.vector_env(3, duration="1h", **over(link))
    env.reset(seed=1)
    env.step(actions)
    env.step_async(actions)

    def play() -> None:
        refuses(env.step_wait)
        refuses(lambda: env.step(actions))
        refuses(lambda: env.reset(options={"reset_mask": np.array([True, False, False])}))
        observations, _ = env.reset(seed=9)
        for _ in range(3):
            observations, *_ = env.step(actions)
        assert observations[:, 0].tolist() == [3, 3, 3]
        env.close()
        assert simulations() == []

    in_a_fork(play)
    observations, *_ = env.step_wait()
    assert observations[:, 0].tolist() == [2, 2, 2]
    observations, *_ = env.step(actions)
    assert observations[:, 0].tolist() == [3, 3, 3]
    env.close()


def test_the_parent_continues_however_its_fork_ends(make_aec: Make, link: str) -> None:
    env = make_aec(duration="1h")
    env.reset(seed=1)
    snapshot = env.snapshot()
    vector = SPEC.vector_env(2, duration="1h", **over(link))
    vector.reset(seed=1)
    envs = [env, vector]
    held = [snapshot, *envs]

    def forget() -> None:
        held.clear()
        envs.clear()
        gc.collect()

    for what in (
        lambda: None,
        lambda: [each.close() for each in envs],
        snapshot.release,
        forget,
    ):
        in_a_fork(what)
        env.step(3)
        vector.step(np.zeros(2, np.int64))
        env.restore(snapshot)
    vector.close()


EXITING = """
import os, sys
import numpy as np
from conftest import TRIAL, over
from defiance_zoo.environments import EnvironmentSpec, SimulationAECEnv
env = SimulationAECEnv(TRIAL, duration="1h", **over(sys.argv[1]))
env.reset()
snapshot = env.snapshot()
vector = EnvironmentSpec("trial_v0", TRIAL).vector_env(2, duration="1h", **over(sys.argv[1]))
vector.reset()
if child := os.fork():
    assert os.waitpid(child, 0)[1] == 0
    for _ in range(3):
        vector.step(np.zeros(2, np.int64))
        env.step(0)
    env.restore(snapshot)
    env.reset()
    vector.reset()
    print("goes on")
"""


def run_python(text: str, link: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", text, link],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": TESTS},
    )


def test_a_fork_with_an_orderly_exit_ends_no_simulation(link: str) -> None:
    done = run_python(EXITING, link)
    assert (done.returncode, done.stdout) == (0, "goes on\n"), done.stderr


OUTLIVED = """
import os, signal, sys
from conftest import TRIAL, fork_servers, over, simulations
from defiance_zoo.environments import SimulationAECEnv
env = SimulationAECEnv(TRIAL, duration="1h", **over(sys.argv[1]))
env.reset()
snapshot = env.snapshot()
ends = os.pipe()
child = os.fork()
if child == 0:
    os.write(ends[1], b".")
    signal.pause()
os.read(ends[0], 1)
print(child, *(each.pid for each in simulations() + fork_servers()), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.long
def test_a_fork_that_outlives_its_parent_keeps_no_simulation_alive(link: str) -> None:
    with Program(
        [sys.executable, "-c", OUTLIVED, link],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": TESTS},
    ) as python:
        assert python.stdout is not None
        child, *pids = (int(pid) for pid in python.stdout.readline().split())
        python.wait(10)
    try:
        assert len(pids) == 3
        left = [each for each in psutil.process_iter() if each.pid in pids]
        _, alive = psutil.wait_procs(left, timeout=10)
        assert [each for each in alive if each.status() != psutil.STATUS_ZOMBIE] == []
        assert psutil.pid_exists(child)
    finally:
        os.kill(child, signal.SIGKILL)
