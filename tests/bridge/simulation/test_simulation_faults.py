# SPDX-License-Identifier: GPL-2.0-only
"""Real simulations that die, hang, refuse or stop sending, at every point of an episode."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import TESTS, TRIAL, script, simulations
from limited_programs import run_limited

from defiance_zoo import errors
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import Episodes, SimulationAECEnv, SimulationParallelEnv

Make = Callable[..., Any]
GENEROUS_S = 10.0
"""A bound for a loaded machine; detection usually takes milliseconds."""


def step_until_it_fails(env: SimulationAECEnv, kind: type[Exception], match: str) -> Exception:
    """Act until the environment raises, at most 1,000 times."""

    def act() -> None:
        for _ in range(1000):
            env.step(env.action_space(env.agent_selection).sample())

    with pytest.raises(kind, match=match) as caught:
        act()
    return caught.value


def test_a_kill_during_an_episode_raises(make_aec: Make) -> None:
    env = make_aec(duration="1h")
    env.reset(seed=1)
    for _ in range(5):
        env.step(0)
    (simulation,) = simulations()
    simulation.kill()
    began = time.monotonic()
    with pytest.raises(errors.SimulationCrashed, match="was killed by SIGKILL before"):
        env.step(0)
    assert time.monotonic() - began < GENEROUS_S
    assert env.agents == []
    env.reset(seed=1)
    assert env.agents == ["agent_0"]


def test_a_kill_while_python_waits_raises(make_aec: Make, tmp_path: Path) -> None:
    """The kill comes from a second process while `reset()` waits for a message."""
    kill = 'case "$*" in *loop_before_hello*) (sleep 0.3; kill -9 $$) & esac'
    program = script(tmp_path / "killed", f'{kill}\nexec {TRIAL.program} "$@"')
    env = make_aec(Scenario("killed", program), launch="spawn", scenario_case="ticker")
    with pytest.raises(errors.SimulationCrashed, match="killed by SIGKILL before its next message"):
        env.reset(options={"scenario_case": "loop_before_hello"})
    env.reset()


def test_a_fatal_error_is_reported_with_its_message(make_aec: Make) -> None:
    env = make_aec(scenario_case="fatal", duration="1s")
    env.reset()
    error = step_until_it_fails(env, errors.SimulationCrashed, "the tower fell over")
    assert "SIGABRT" in str(error)
    assert "the tower fell over" in error.last_words  # type: ignore[attr-defined]
    copy = pickle.loads(pickle.dumps(error))  # as a worker process returns it
    assert str(copy) == str(error)


def test_an_exit_before_hello_is_reported_with_the_last_output(make_aec: Make) -> None:
    env = make_aec()
    with pytest.raises(errors.SimulationCrashed, match=r"(?s)status 3.*no licence found"):
        env.reset(options={"scenario_case": "exit_before_hello"})
    env.reset()


def test_an_exit_without_a_decision_raises_with_the_reason(make_aec: Make, tmp_path: Path) -> None:
    program = script(tmp_path / "silent", "echo nothing to decide")
    env = make_aec(Scenario("silent", program, describes_itself=False))
    with pytest.raises(errors.SimulationCrashed, match=r"(?s)without asking.*nothing to"):
        env.reset()


def test_an_exit_without_episode_end_raises(make_aec: Make) -> None:
    env = make_aec(scenario_case="leave", duration="1s")
    env.reset()
    step_until_it_fails(env, errors.SimulationCrashed, "(?s)status 0.*leaving without a word")


def test_an_endless_loop_times_out(make_aec: Make) -> None:
    env = make_aec(scenario_case="loop", duration="1s", timeout=1.0)
    env.reset()
    step_until_it_fails(env, errors.SimulationTimeout, "no message within 1 s")
    assert simulations() == []
    env.reset()


def test_a_simulation_that_never_says_hello_times_out(make_aec: Make) -> None:
    env = make_aec(timeout=1.0)
    with pytest.raises(errors.SimulationTimeout, match="no message within 1 s"):
        env.reset(options={"scenario_case": "loop_before_hello"})
    assert simulations() == []


def test_output_never_blocks_and_its_last_part_is_kept(make_aec: Make) -> None:
    env = make_aec(scenario_case="noise", duration="1h")
    env.reset()
    for _ in range(10):  # 10 MB of output in total
        env.step(0)
    (simulation,) = simulations()
    simulation.kill()
    error = step_until_it_fails(env, errors.SimulationCrashed, "was killed by SIGKILL before")
    assert len(str(error)) < 40_000


def test_a_scenario_can_refuse_its_parameters(make_aec: Make) -> None:
    env = make_aec()
    with pytest.raises(errors.ParameterError, match="agents and size do not go together"):
        env.reset(options={"scenario_case": "refuse"})
    env.reset()


def test_a_scenario_without_agents_raises(make_aec: Make) -> None:
    env = make_aec()
    with pytest.raises(errors.SimulationError, match="without ever having had an agent"):
        env.reset(options={"scenario_case": "empty"})


def test_a_step_may_be_repeated_after_an_invalid_action(
    make_aec: Make, make_parallel: Make
) -> None:
    env = make_aec()
    env.reset()
    for action in (8, -1, 1.5, "1", None, [0, 0]):
        with pytest.raises(errors.InvalidAction, match=r"agent_0 is not in Discrete\(8\)"):
            env.step(action)
    env.step(7)
    assert env.infos["agent_0"]["last_action"] == "7"

    parallel: SimulationParallelEnv = make_parallel(agents=2)
    parallel.reset()
    with pytest.raises(errors.InvalidAction, match="agent_1 is not in"):
        parallel.step({"agent_0": 1, "agent_1": 99})
    with pytest.raises(
        errors.InvalidAction,
        match=r"no action for \['agent_1'\]: each of .*'agent_1'\] must act",
    ):
        parallel.step({"agent_0": 1})
    _, _, _, _, infos = parallel.step({"agent_0": 1, "agent_1": 2})
    assert infos["agent_1"]["last_action"] == "2"


def test_an_action_for_the_wrong_agent_is_refused() -> None:
    episodes = Episodes(TRIAL, {"agents": 2})
    episodes.begin(1, None)
    for agent in ("agent_1", "agent_9"):
        with pytest.raises(errors.InvalidAction, match=rf"'{agent}', but \['agent_0'\] decide"):
            episodes.decide(agent, 0)
    with pytest.raises(errors.InvalidAction, match=r"no action for \['agent_0'\]"):
        episodes.advance()
    episodes.decide("agent_0", 1)
    episodes.decide("agent_0", 2)
    (step,) = episodes.advance().steps  # of agent_1, in a sequential round
    assert step.agent == "agent_1"
    episodes.close()


def test_after_ctrl_c_during_a_wait_reset_works(make_aec: Make) -> None:
    env = make_aec(scenario_case="loop", duration="1s")
    env.reset()
    env.step(0)
    env.step(0)
    (simulation,) = simulations()

    def interrupt() -> None:
        while simulation.cpu_times().user < 0.2:  # wait until the simulation loops
            pass
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        env.step(0)
    env.reset()
    env.step(0)


def test_other_threads_run_while_python_waits(make_aec: Make) -> None:
    env = make_aec(scenario_case="loop", duration="1s", timeout=1.0)
    env.reset()
    ticks = []
    waiting = threading.Event()

    def tick() -> None:
        while waiting.is_set():
            ticks.append(None)
            time.sleep(0.01)

    waiting.set()
    thread = threading.Thread(target=tick)
    thread.start()
    step_until_it_fails(env, errors.SimulationTimeout, "within 1 s")
    waiting.clear()
    thread.join()
    assert len(ticks) > 20  # about 100 on an idle machine; one where the wait holds the lock


def test_a_missing_program_raises(tmp_path: Path) -> None:
    with pytest.raises(errors.ScenarioNotFound, match="there is no program"):
        SimulationAECEnv(Scenario("nowhere", tmp_path / "nothing"))
    (tmp_path / "data").write_text("")
    with pytest.raises(errors.ScenarioNotFound, match="is not executable"):
        SimulationAECEnv(Scenario("data", tmp_path / "data"))


CAPABLE = """
import sys
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.recording.options import Record

print(Scenario("permitted", sys.argv[1]).locate())
print(Record(sys.argv[2]).open("permitted_v0").folder)
"""


def test_what_capabilities_permit_is_not_refused(tmp_path: Path) -> None:
    """The kernel would run this program and write to this folder, whatever their modes say."""
    program = script(tmp_path / "permitted", "true")
    tmp_path.chmod(0o700)
    assert run_limited(CAPABLE, str(program), str(tmp_path)) == f"{program}\n{tmp_path}\n"


PYTHON_PEER = """
import os, sys
from conftest import TRIAL, simulations
from defiance_zoo.environments import SimulationAECEnv
env = SimulationAECEnv(TRIAL, duration="1h", scenario_case=sys.argv[1])
env.reset()
for _ in range(2):
    env.step(0)
print(simulations()[0].pid, flush=True)
if sys.argv[1] == "loop":
    env.step(0)
sys.stdin.readline()  # until the test knows the simulation
if sys.argv[2] == "leaves":
    os._exit(0)
elif sys.argv[2] == "raises":
    raise RuntimeError("a bug of the user's")
"""


def python_peer(*arguments: str) -> subprocess.Popen[str]:
    """Start a Python process with a running simulation."""
    return subprocess.Popen(
        [sys.executable, "-c", PYTHON_PEER, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": TESTS},
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("scenario", "ending"),
    [
        ("ticker", "SIGKILL"),
        ("ticker", "SIGTERM"),
        ("ticker", "SIGINT"),
        ("ticker", "exits"),
        ("ticker", "raises"),
        ("ticker", "leaves"),
        ("loop", "SIGKILL"),
        ("loop", "SIGINT"),
    ],
)
def test_no_simulation_outlives_its_python(scenario: str, ending: str) -> None:
    """Neither a simulation that waits for an action, nor one that computes without end."""
    with python_peer(scenario, ending) as python:
        assert python.stdout is not None
        simulation = psutil.Process(int(python.stdout.readline()))
        while scenario == "loop" and simulation.cpu_times().user < 0.1:
            assert python.poll() is None
        if ending.startswith("SIG"):
            python.send_signal(signal.Signals[ending])
        else:
            python.communicate("\n", GENEROUS_S)
        python.wait(GENEROUS_S)
        # The stated bound is one second; this longer wait only distinguishes "late" from "never".
        simulation.wait(GENEROUS_S)
    assert not simulation.is_running()
