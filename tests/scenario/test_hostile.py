# SPDX-License-Identifier: GPL-2.0-only
"""Hostile scenarios end with a typed error or like a normal episode, and leave nothing behind."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import over, resources
from hostile import HOSTILE, Hostile

from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.bridge.simulation import parameters
from defiance_zoo.errors import ScenarioError, SimulationTimeout

_MARK = "DEFIANCE_TEST_MARK"
LINKS = ("zmq", "local", "spin")
_WORKERS = 6


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> str:
    """A variable inherited by all processes that a test starts."""
    value = secrets.token_hex(8)
    monkeypatch.setenv(_MARK, value)
    return value


def marked(mark: str) -> list[psutil.Process]:
    """Return the processes with a marker variable, except for this one."""
    found = []
    for each in psutil.process_iter():
        try:
            if each.pid != os.getpid() and each.environ().get(_MARK) == mark:
                found.append(each)
        except psutil.Error:
            continue
    return found


def left_behind(mark: str) -> dict[str, Any]:
    """Return the resources that a test could leave behind, in addition to `resources()`."""
    return {
        **resources(),
        "marked": [each.cmdline() for each in marked(mark)],
        "shared": sorted(Path("/dev/shm").glob("*defiance*")),
        "temporary": sorted(Path(tempfile.gettempdir()).iterdir()),
        "folder": Path.cwd(),
    }


def play(spec: EnvironmentSpec, **arguments: Any) -> int:
    """Play an episode, and return the number of steps."""
    env = spec.parallel_env(**arguments)
    steps = 0
    try:
        env.reset(seed=1)
        while env.agents:
            env.step(dict.fromkeys(env.agents, 1))
            steps += 1
    finally:
        env.close()
    return steps


def find_fault(name: str, folder: Path, link: str, launch: str) -> str:
    """Play a hostile scenario, and return its deviation from the expected end; empty: none."""
    case = HOSTILE[name]
    own = folder / f"{name.replace(' ', '_')}-{link}-{launch}"
    own.mkdir()
    spec = EnvironmentSpec("hostile_v0", Scenario.python("hostile", case.write(own)))
    try:
        timeout = 3.0 if case.waits else 60.0
        steps = play(spec, launch=launch, timeout=timeout, **over(link))
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        is_right = case.error and isinstance(error, case.error) and re.search(case.words, said)
        return "" if is_right else f"{name} ({link}, {launch}): {said}"
    plays = case.error is None or case.may_play
    return "" if plays and steps else f"{name} ({link}, {launch}): {steps} steps"


def _settled(before: dict[str, Any], mark: str) -> dict[str, Any]:
    """Return the resources of a process whose threads have ended; they outlive join() a little."""
    deadline = time.monotonic() + 10
    while (after := left_behind(mark)) != before and time.monotonic() < deadline:
        time.sleep(0.05)
    return after


def find_faults(runs: list[tuple[str, str, str]], folder: Path, mark: str) -> list[str]:
    """Play hostile scenarios in parallel, and return the deviations."""
    before = left_behind(mark)
    with ThreadPoolExecutor(_WORKERS) as pool:
        faults = list(pool.map(lambda run: find_fault(run[0], folder, *run[1:]), runs))
    after = _settled(before, mark)
    return [each for each in faults if each] + [
        f"left behind: {key}: {after[key]}" for key in after if after[key] != before[key]
    ]


@pytest.mark.usefixtures("own_temporary_folder")
@pytest.mark.parametrize(
    ("link", "launch"),
    [
        pytest.param(
            link,
            launch,
            marks=pytest.mark.long if link == "local" else pytest.mark.thorough,
        )
        for link in LINKS
        for launch in ("fork", "spawn")
    ],
)
def test_hostile_scenarios_over_every_link(
    link: str, launch: str, tmp_path: Path, mark: str
) -> None:
    """Also forked simulations that are ended after the timeout."""
    names = [name for name, case in HOSTILE.items() if launch == "fork" or not case.waits]
    assert find_faults([(name, link, launch) for name in names], tmp_path, mark) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            'a.add("ns3::OnOffApplication", Remote=(b.address(), 9), DataRate="0bps")',
            r"stands still at \d\S* s, where events without delay",
        ),
        pytest.param(
            "def again(): sc.after('0s', again)\n    sc.after('25ms', again)",
            r"still\.py\", line 9(.*\n)*.*stands still at 0\.025 s, where events without delay",
            marks=pytest.mark.long,
        ),
    ],
    ids=["OnOffApplication without a rate", "an event of Python"],
)
def test_a_scenario_without_python_ends_if_time_makes_no_progress(
    line: str, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "still.py"
    file.write_text(f"""
import defiance_zoo.scenario as sc

sim = sc.Simulation("still", duration="1s")

@sim.episode
def build(p):
    a, b = sc.nodes(2, internet=True); sc.point_to_point(a, b)
    {line}
""")
    command = [sys.executable, "-m", "defiance_zoo.scenario", file]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 1
    assert re.search(words, done.stderr), done.stderr


def test_a_file_that_loads_without_end_is_reported_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parameters, "DESCRIBE_TIMEOUT_S", 1.0)
    file = Hostile("while True: pass", "load").write(tmp_path)
    with pytest.raises(SimulationTimeout, match=r"hostile\.py\", line \d+ in <module>"):
        Scenario.python("hostile", file).declaration({})


_WAYS = {
    "make": "dz.register('h_v0', dz.EnvironmentSpec('h_v0', S)); dz.make('h_v0')",
    "make_vec": "dz.register('h_v0', dz.EnvironmentSpec('h_v0', S)); dz.make_vec('h_v0', 2)",
    "parallel_env": "dz.EnvironmentSpec('h_v0', S).parallel_env().reset(seed=1)",
    "raw_env": "dz.EnvironmentSpec('h_v0', S).raw_env().reset(seed=1)",
    "attach": "dz.EnvironmentSpec('h_v0', S).raw_env(launch='attach').reset(seed=1)",
    "declaration": "S.declaration({})",
    "gymnasium": (
        "dz.register('h_v0', dz.EnvironmentSpec('h_v0', S), gymnasium_id='defiance_zoo/H-v0');"
        "import gymnasium; gymnasium.make('defiance_zoo/H-v0').reset(seed=1)"
    ),
    "another program": "import subprocess; subprocess.run([sys.executable, __file__])",
    "another process": (
        "import multiprocessing; multiprocessing.get_context('spawn').Process(target=print).start()"
    ),
    "a module beside it": "import player",
}


@pytest.fixture
def unguarded(tmp_path: Path) -> Any:
    """Write a scenario that also plays, without `if __name__ == "__main__"`; return its file."""

    def write(line: str) -> Path:
        case = Hostile(
            f"import defiance_zoo as dz\nS = dz.Scenario.python('hostile', __file__)\n{line}",
            "load",
        )
        (tmp_path / "player.py").write_text(
            "import defiance_zoo as dz\n"
            "S = dz.Scenario.python('hostile', __file__.replace('player', 'hostile'))\n"
            "dz.EnvironmentSpec('h_v0', S).parallel_env().reset(seed=1)\n"
        )
        return case.write(tmp_path)

    return write


_SHORT = ("make", "gymnasium", "another program", "a module beside it")


@pytest.mark.parametrize(
    "way",
    [way if way in _SHORT else pytest.param(way, marks=pytest.mark.long) for way in _WAYS],
)
def test_a_scenario_that_plays_while_it_loads_is_refused(
    way: str, unguarded: Any, mark: str
) -> None:
    file = unguarded(_WAYS[way])
    with pytest.raises(ScenarioError, match=r"__name__ == \"__main__\"") as raised:
        EnvironmentSpec("hostile_v0", Scenario.python("hostile", file)).parallel_env()
    assert re.search(r'(hostile|player)\.py", line \d+, in <module>', str(raised.value))
    assert marked(mark) == []


def test_a_guarded_scenario_plays(tmp_path: Path, mark: str) -> None:
    """One file is the scenario and the program that plays it."""
    file = Hostile("").write(tmp_path)
    file.write_text(
        file.read_text()
        + "\nif __name__ == '__main__':\n"
        + "    import defiance_zoo as dz\n"
        + "    S = dz.Scenario.python('hostile', __file__)\n"
        + "    env = dz.EnvironmentSpec('h_v0', S).parallel_env()\n"
        + "    print(len(env.reset(seed=1)[0]))\n"
        + "    env.close()\n"
    )
    done = subprocess.run([sys.executable, file], check=True, capture_output=True, timeout=60)
    assert done.stdout == b"1\n"
    assert marked(mark) == []


@pytest.fixture
def killed_while_it_waits(mark: str) -> Iterator[Any]:
    """Start a program, kill it after it started processes, and return the remaining ones."""

    def run(text: str) -> list[psutil.Process]:
        program = subprocess.Popen([sys.executable, "-c", text], stderr=subprocess.DEVNULL)
        while program.poll() is None and not psutil.Process(program.pid).children():
            os.sched_yield()
        assert program.poll() is None
        program.send_signal(signal.SIGKILL)
        program.wait()
        alive: list[psutil.Process] = []
        for _ in range(3):  # a process between fork and exec shows no variables
            alive += psutil.wait_procs(marked(mark), timeout=10)[1]
        return alive

    yield run
    for each in marked(mark):
        each.kill()


@pytest.mark.long
@pytest.mark.parametrize("code", ["while True: pass", "time.sleep(1e6)", "signal.pause()"])
def test_a_file_that_loads_without_end_ends_with_python(
    code: str, tmp_path: Path, killed_while_it_waits: Any
) -> None:
    file = Hostile(code, "load").write(tmp_path)
    text = (
        "import defiance_zoo as dz\n"
        f"dz.EnvironmentSpec('h_v0', dz.Scenario.python('hostile', {str(file)!r})).raw_env()\n"
    )
    assert killed_while_it_waits(text) == []
