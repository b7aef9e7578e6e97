# SPDX-License-Identifier: GPL-2.0-only
"""Episodes of processes forked from a prepared process equal episodes of a fresh process."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import PROGRAMS, TRIAL, fork_servers, script, simulations

from defiance_zoo import errors
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.environments.testing import play

Make = Callable[..., Any]
CART_POLE = lookup("cart_pole_v0")
DEPLOYMENT = EnvironmentSpec("deployment_v0", Scenario("deployment", PROGRAMS / "deployment"))
THREADED = Scenario("threaded", PROGRAMS / "threaded")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("api", [pytest.param("raw_env", marks=pytest.mark.long), "parallel_env"])
@pytest.mark.parametrize(
    ("spec", "arguments", "episodes"),
    [
        pytest.param(CART_POLE, {}, 100, marks=pytest.mark.thorough, id="nothing"),
        pytest.param(CART_POLE, {"carts": 3, "transport": "udp", "loss": 0.05}, 4, id="lossy-udp"),
        pytest.param(CART_POLE, {"carts": 2, "transport": "tcp", "delay": "20ms"}, 4, id="tcp"),
        pytest.param(DEPLOYMENT, {"change": "move", "communication_infos": True}, 4, id="moving"),
        pytest.param(DEPLOYMENT, {"change": "add", "service_time": "15ms"}, 4, id="queueing"),
    ],
)
def test_forked_and_fresh_episodes_are_identical(
    spec: EnvironmentSpec, arguments: dict[str, Any], episodes: int, api: str
) -> None:
    """Episodes are equal bit for bit, whatever was forked before; each seed gives another one."""
    forked = getattr(spec, api)(launch="fork", **arguments)
    fresh = getattr(spec, api)(launch="spawn", **arguments)
    reported = []
    for seed in (0, 1, 2):
        reported.append(play(forked, seed, episodes=episodes))
        assert reported[-1] == play(fresh, seed, episodes=episodes)
    assert reported[0] != reported[1] != reported[2]
    forked.close()
    fresh.close()


def test_one_server_serves_all_environments_of_a_program(make_aec: Make) -> None:
    envs = [make_aec(duration="1s") for _ in range(5)]
    for env in envs:
        env.reset()
        env.step(0)
    (server,) = fork_servers()
    assert len(simulations()) == 5
    for env in envs[:4]:
        env.close()
    assert server.is_running()
    envs[4].reset()
    assert fork_servers() == [server]
    envs[4].close()
    assert fork_servers() == []


def test_a_crash_of_a_simulation_leaves_its_fork_server_running(make_aec: Make) -> None:
    env, other = make_aec(duration="1h"), make_aec(duration="1h")
    other.reset(seed=1)
    for number in (signal.SIGKILL, signal.SIGSEGV):
        env.reset(seed=1)
        (victim,) = set(simulations()) - {s for s in simulations() if s.pid == pid_of(other)}
        victim.send_signal(number)
        with pytest.raises(errors.SimulationCrashed, match=f"was killed by {number.name} before"):
            env.step(0)
        (server,) = fork_servers()
        other.step(0)
    env.reset(seed=1, options={"scenario_case": "fatal"})
    with pytest.raises(errors.SimulationCrashed, match=r"(?s)SIGABRT.*the tower fell over"):
        play_on(env)
    assert fork_servers() == [server]
    other.step(0)


def play_on(env: Any) -> None:
    """Act until the environment raises or the episode ends."""
    for _ in range(1000):
        env.step(0)


def pid_of(env: Any) -> int:
    """Return the process id of an environment's simulation."""
    process = env._episodes.launcher.simulation._process
    pid: int = process._program.pid
    return pid


def is_alive(process: psutil.Process) -> bool:
    """Return whether a process runs; one without a parent may stay as a zombie."""
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def test_a_killed_server_is_replaced_and_its_simulations_continue(make_aec: Make) -> None:
    env = make_aec(duration="1h")
    env.reset(seed=1)
    (server,) = fork_servers()
    (simulation,) = simulations()
    server.kill()
    server.wait()
    env.step(0)
    assert is_alive(simulation)
    env.reset(seed=1)
    assert not is_alive(simulation)
    (other,) = fork_servers()
    assert other != server


def test_a_server_is_replaced_immediately_after_it_was_killed(make_aec: Make) -> None:
    """Python does not wait for the server's end: the connection breaks before the process ends."""
    env = make_aec(duration="1h")
    for seed in range(5):
        env.reset(seed=seed)
        (server,) = fork_servers()
        server.kill()
        env.reset(seed=seed)
        (other,) = fork_servers()
        assert other != server
        assert len(simulations()) == 1


def test_a_lost_server_is_replaced_for_all_environments_that_share_it(make_aec: Make) -> None:
    envs = [make_aec(duration="1h") for _ in range(3)]
    for env in envs:
        env.reset(seed=1)
    (server,) = fork_servers()
    server.kill()
    for env in envs:
        env.reset(seed=1)
    (other,) = fork_servers()
    assert other != server
    for env in envs:
        env.close()
    assert fork_servers() == []


def test_a_program_whose_preparation_is_killed_is_prepared_again(
    make_aec: Make, tmp_path: Path
) -> None:
    words = f"""[ "$1" = --describe ] && exec {TRIAL.program} "$@"
    [ -e {tmp_path}/once ] || {{ touch {tmp_path}/once; kill -9 $$; }}
    exec {TRIAL.program} "$@" """
    env = make_aec(Scenario("unlucky", script(tmp_path / "unlucky", words)))
    env.reset()
    assert (tmp_path / "once").exists()


def test_agents_are_listed_although_the_first_process_is_killed(
    make_aec: Make, tmp_path: Path
) -> None:
    words = f"""[ "$1" = --describe ] && exec {TRIAL.program} "$@"
    [ -e {tmp_path}/once ] || {{ touch {tmp_path}/once; kill -9 $$; }}
    exec {TRIAL.program} "$@" """
    env = make_aec(Scenario("unlucky", script(tmp_path / "unlucky", words)), launch="spawn")
    assert env.possible_agents == ["agent_0"]
    assert (tmp_path / "once").exists()


def test_a_simulation_reports_its_end_after_its_server_died(make_aec: Make) -> None:
    env = make_aec(duration="1h")
    env.reset(seed=1)
    (server,), (simulation,) = fork_servers(), simulations()
    server.kill()
    server.wait()
    simulation.kill()
    with pytest.raises(errors.SimulationCrashed, match="its fork server does not answer"):
        env.step(0)


def test_changes_of_program_variables_and_folder_reach_the_next_episode(
    make_aec: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The changes are to the program, the environment variables and the working directory."""
    program = tmp_path / "trial"
    shutil.copy2(TRIAL.program, program)  # no other test depends on the time stamp of this copy
    env = make_aec(Scenario("trial", program), duration="1h")
    env.reset(seed=1)
    servers = fork_servers()
    env.reset(seed=1)
    assert fork_servers() == servers
    for change in (
        lambda: os.utime(program),
        lambda: monkeypatch.setenv("NS_LOG", "OpenGymMultiAgentRounds"),
        lambda: monkeypatch.chdir(tmp_path),
    ):
        change()
        env.reset(seed=1)
        (server,) = fork_servers()
        assert [server] != servers
        servers = [server]
    assert server.environ()["NS_LOG"] == "OpenGymMultiAgentRounds"
    assert server.cwd() == str(tmp_path)


def test_a_program_that_fails_before_its_simulation_raises(make_aec: Make, tmp_path: Path) -> None:
    words = f'[ "$1" = --describe ] && exec {TRIAL.program} "$@"; echo no licence found; exit 3'
    env = make_aec(Scenario("unlicensed", script(tmp_path / "unlicensed", words)))
    with pytest.raises(errors.SimulationCrashed, match=r"(?s)status 3 before.*no licence found"):
        env.reset()


def test_a_program_that_never_creates_its_simulation_raises(make_aec: Make, tmp_path: Path) -> None:
    words = f'[ "$1" = --describe ] && exec {TRIAL.program} "$@"; echo thinking; exec sleep 100'
    env = make_aec(Scenario("slow", script(tmp_path / "slow", words)), timeout=1)
    with pytest.raises(errors.SimulationTimeout, match=r"(?s)Parse\(\) within 1 s.*thinking"):
        env.reset()


@pytest.mark.filterwarnings("ignore:no agent decided")
def test_a_program_with_threads_is_refused(make_aec: Make) -> None:
    with pytest.raises(errors.SimulationCrashed, match=r'(?s)threads.*launch="spawn"'):
        make_aec(THREADED).reset()
    env = make_aec(THREADED, launch="spawn")
    env.reset()
    assert env.truncations == {"agent_0": True}


def test_a_late_answer_is_not_taken_for_the_answer_to_the_next_request(make_aec: Make) -> None:
    """As when Ctrl-C interrupts Python between request and answer."""
    env = make_aec(duration="1h")
    env.reset(seed=1)
    server = env._episodes.launcher.starter._server
    lifeline, ours = os.pipe()
    conversation = server._conversation
    await_fork, conversation._await_fork = conversation._await_fork, interrupt
    with pytest.raises(KeyboardInterrupt):
        server.fork([], {}, [lifeline, ours])
    conversation._await_fork = await_fork
    os.close(lifeline)
    os.close(ours)
    env.reset(seed=2)
    assert pid_of(env) in {simulation.pid for simulation in simulations()}
    others = [each for each in simulations() if each.pid != pid_of(env)]
    assert psutil.wait_procs(others, timeout=10)[1] == []  # no agent decides in it: it ends soon
    env.step(0)


def interrupt(number: int) -> None:
    raise KeyboardInterrupt


def test_too_long_arguments_are_refused(make_aec: Make) -> None:
    env = make_aec()
    env.reset()
    text = "x" * 1_000_000
    with pytest.raises(errors.DefianceZooError, match="1000000 characters"):
        env._episodes.launcher.starter._server.fork([text], {}, [0, 1])
    env.reset()
