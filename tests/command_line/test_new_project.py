# SPDX-License-Identifier: GPL-2.0-only
"""The project that `defiance-zoo new` writes, built and used like a user does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
TESTS = 9


def environment(work: Path, *, active: bool = True) -> dict[str, str]:
    """Return a user's environment variables, with or without an active virtual environment."""
    path = [each for each in os.environ["PATH"].split(os.pathsep) if Path(each) != BIN]
    if active:
        path.insert(0, str(BIN))
    variables = {
        **os.environ,
        "PATH": os.pathsep.join(path),
        # PettingZoo's own tests import a game in a way that PettingZoo deprecates.
        "PYTEST_ADDOPTS": "-W error -W 'ignore:The old environment' -p no:cacheprovider",
        "CXXFLAGS": "-Wall -Wextra -Wno-unused-parameter -Werror",
    }
    variables.pop("VIRTUAL_ENV", None)
    if shutil.which("ccache"):
        # Compiled files are the same in each folder.
        variables |= {
            "CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
            "CCACHE_BASEDIR": str(work.resolve()),
            "CCACHE_NOHASHDIR": "1",
        }
    return variables


def run(
    *command: str | Path, cwd: Path, env: dict[str, str], check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a program, and show its output if it fails."""
    done = subprocess.run(
        command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert not check or done.returncode == 0, done.stdout
    return done


def write(work: Path, env: dict[str, str], *options: str | Path) -> list[str]:
    """Write the project into ./my_scenario; return the commands that are printed."""
    command = [sys.executable, "-m", "defiance_zoo", "new", "my_scenario", *options]
    done = run(*command, cwd=work, env=env)
    return re.findall(r"^  (.*)$", done.stdout, re.MULTILINE)


def python(program: str, *, cwd: Path, env: dict[str, str]) -> str:
    """Run Python code; return its output."""
    return run(sys.executable, "-W", "error", "-c", program, cwd=cwd, env=env).stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a project that the printed commands have built and tested."""
    work = tmp_path_factory.mktemp("built")
    env = environment(work)
    commands = write(work, env)
    assert commands == [
        "cd my_scenario",
        "cmake -S . -B build",
        "cmake --build build",
        "python -m pytest",
        "python -m defiance_zoo random my_scenario:my_scenario_v0",
    ]
    said = run("sh", "-e", "-c", "\n".join(commands), cwd=work, env=env).stdout
    assert re.search(rf"^=+ {TESTS} passed in [\d.]+s =+$", said, re.MULTILINE), said
    return work / "my_scenario"


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_printed_commands_build_and_test_the_project(built: Path) -> None:
    assert (built / "build" / "my_scenario").is_file()


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_printed_commands_work_without_an_active_virtual_environment(tmp_path: Path) -> None:
    env = environment(tmp_path, active=False)
    commands = write(tmp_path, env)
    assert f"-DPython3_EXECUTABLE={sys.executable}" in commands[1]
    said = run("sh", "-e", "-c", "\n".join(commands), cwd=tmp_path, env=env).stdout
    assert f" {TESTS} passed in " in said


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("style", ["direct", "env"])
def test_projects_of_the_other_styles_build_with_four_agents(style: str, tmp_path: Path) -> None:
    env = environment(tmp_path)
    commands = write(tmp_path, env, "--style", style, "--agents", "4")
    said = run("sh", "-e", "-c", "\n".join(commands), cwd=tmp_path, env=env).stdout
    assert " 8 passed in " in said


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_project_from_an_existing_program_is_built_and_tested(tmp_path: Path) -> None:
    env = environment(tmp_path)
    commands = write(tmp_path, env, "--from", ROOT / "tests" / "scenarios" / "gym-style.cc")
    said = run("sh", "-e", "-c", "\n".join(commands), cwd=tmp_path, env=env).stdout
    assert " 3 passed in " in said


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("style", "agents"),
    [
        pytest.param("applications", 1, marks=pytest.mark.long),
        pytest.param("direct", 3, marks=pytest.mark.long),
        pytest.param("env", 2, marks=pytest.mark.thorough),
    ],
)
def test_a_project_from_a_plain_program_passes_its_tests(
    style: str, agents: int, tmp_path: Path
) -> None:
    env = environment(tmp_path)
    program = ROOT / "tests" / "scenarios" / "plain-link.cc"
    options = ("--from", program, "--style", style, "--agents", str(agents))
    commands = write(tmp_path, env, *options)
    said = run("sh", "-e", "-c", "\n".join(commands), cwd=tmp_path, env=env).stdout
    assert f" {3 if agents == 1 else 2} passed in " in said
    played = python(PLAYED, cwd=tmp_path / "my_scenario", env=env)
    rounds = 29 * (agents if style == "env" else 1)  # Notify() waits for the decision of one agent
    assert played.startswith(f"{agents} {rounds} [0.5 0.5]\n")


PLAYED = """
import my_scenario.my_scenario_v0 as v0

env = v0.parallel_env(nPackets=5, delay="5ms")
observations, _ = env.reset(seed=1)
decisions = 0
while env.agents:
    decisions += 1
    observations, *_ = env.step({agent: 1 for agent in env.agents})
print(len(env.possible_agents), decisions, observations["agent_0"])
env.close()
"""


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_agents_functions_can_use_variables_of_the_program(tmp_path: Path) -> None:
    env = environment(tmp_path)
    program = ROOT / "tests" / "scenarios" / "plain-link.cc"
    write(tmp_path, env, "--from", program, "--style", "direct")
    copy = tmp_path / "my_scenario" / "scenario" / "plain-link.cc"
    text = copy.read_text()
    for old, new in (
        ("(2, 0.5, 0.5)", "(2, DynamicCast<UdpServer>(servers.Get(0))->GetReceived(), nPackets)"),
        ("(2, 0, 1)", "(2, 0, 1000)"),
    ):
        assert old in text
        text = text.replace(old, new)
    copy.write_text(text)
    run("sh", "-e", "-c", "cmake -S . -B build\ncmake --build build", cwd=copy.parents[1], env=env)
    assert python(PLAYED, cwd=copy.parents[1], env=env).startswith("1 29 [5. 5.]\n")


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_program_in_the_projects_readme_runs(built: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", (built / "README.md").read_text(), re.DOTALL)
    python(program, cwd=built, env=environment(built))


@pytest.mark.timeout(600)
def test_the_project_is_found_by_its_name(built: Path) -> None:
    program = (
        "import gymnasium, pettingzoo, defiance_zoo, my_scenario\n"
        "assert 'my_scenario_v0' in defiance_zoo.registered()\n"
        "for api in ('aec', 'parallel'):\n"
        "    env = pettingzoo.make(api, 'defiance_zoo/my_scenario-v0', delay='5ms')\n"
        "    print(env.possible_agents, env.observation_space('agent_0'))\n"
        "gymnasium.make('defiance_zoo/MyScenario-v0').close()\n"
    )
    printed = python(program, cwd=built, env=environment(built))
    assert printed == "['agent_0'] Box(0.0, 1.0, (2,), float32)\n" * 2


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_changes_of_the_tutorial_work(built: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "tutorials" / "new-scenario.md").read_text()
    copy = tmp_path / "my_scenario"
    shutil.copytree(built, copy, ignore=shutil.ignore_patterns("build"))
    env = environment(tmp_path)
    diffs = re.findall(r"```diff\n(.*?)```", page, re.DOTALL)
    assert diffs
    for diff in diffs:
        subprocess.run(
            ["git", "apply", "-p1", "-"], cwd=copy, env=env, input=diff, text=True, check=True
        )
    run("sh", "-e", "-c", "cmake -S . -B build\ncmake --build build", cwd=copy, env=env)
    assert f" {TESTS} passed in " in run("python", "-m", "pytest", cwd=copy, env=env).stdout
    program = (
        "import my_scenario.my_scenario_v0 as v0\n"
        "print(v0.env().observation_space('agent_0').shape)\n"
    )
    assert python(program, cwd=copy, env=env) == "(3,)\n"


def test_a_program_that_is_not_built_is_reported(tmp_path: Path) -> None:
    env = environment(tmp_path)
    write(tmp_path, env)
    program = (
        "import my_scenario.my_scenario_v0 as v0\n"
        "from defiance_zoo.errors import ScenarioNotFound\n"
        "try:\n"
        "    v0.env().reset()\n"
        "except ScenarioNotFound as error:\n"
        "    print(error)\n"
    )
    printed = python(program, cwd=tmp_path / "my_scenario", env=env)
    assert str(tmp_path / "my_scenario" / "build" / "my_scenario") in printed


def test_cmake_reports_a_python_without_defiance_zoo(tmp_path: Path) -> None:
    env = environment(tmp_path)
    write(tmp_path, env)
    venv.create(tmp_path / "empty", with_pip=False, symlinks=True)
    other = tmp_path / "empty" / "bin" / "python"
    command = ["cmake", "-S", "my_scenario", "-B", "build", f"-DPython3_EXECUTABLE={other}"]
    done = run(*command, cwd=tmp_path, env=env, check=False)
    assert done.returncode == 1
    assert f"defiance-zoo was not found with {other}" in " ".join(done.stdout.split())
