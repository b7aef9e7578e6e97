# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo new --python --zoo`: refused arguments, and an environment that works."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from scratch_checkout import make_scratch_checkout

import defiance_zoo
from defiance_zoo.command_line import main
from defiance_zoo.command_line.commands.new import LISTS
from defiance_zoo.command_line.new_project import project

ROOT = Path(__file__).resolve().parents[2]


def new(*arguments: str) -> Result:
    """Run `defiance-zoo new` for the zoo in this process."""
    return CliRunner().invoke(main, ["new", *arguments, "--zoo"])


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folders of a checkout, which contains the package and is the current folder."""
    for folder in ("envs", "tests/envs", "defiance_zoo"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.setattr(defiance_zoo, "__file__", str(tmp_path / "defiance_zoo" / "__init__.py"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files_in(folder: Path) -> list[str]:
    """Return the paths of all files below a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["cart_pole", "--python"], "cart_pole_v0 is a registered environment"),
        (["my-bus", "--python"], "not lower_snake_case.*did you mean 'my_bus'"),
        (["lambda", "--python"], "keyword of Python"),
        (["my_bus_v1", "--python"], "ends like a version"),
        (["my_bus"], "give --python, too"),
        (["my_bus", "--python", "--into", "."], "--zoo excludes --into"),
        (["my_bus", "--python", "--agents", "2"], "--zoo excludes .*--agents"),
        (["my_bus", "--python", "--style", "applications"], "--zoo excludes .*--style"),
    ],
)
def test_invalid_names_and_options_are_refused(
    arguments: list[str], why: str, checkout: Path
) -> None:
    result = new(*arguments)
    assert result.exit_code == 2
    assert re.search(why, " ".join(result.output.split()))
    assert files_in(checkout) == []


@pytest.mark.parametrize("folder", ["envs/my_bus", "tests/envs/my_bus"])
def test_an_existing_folder_is_not_changed(folder: str, checkout: Path) -> None:
    (checkout / folder).mkdir()
    result = new("my_bus", "--python")
    assert result.exit_code == 2
    assert f"{folder} exists, and no file is overwritten" in " ".join(result.output.split())
    assert files_in(checkout) == []


@pytest.mark.usefixtures("checkout")
def test_a_folder_outside_of_the_checkout_is_refused(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.chdir(elsewhere)
    result = new("my_bus", "--python")
    assert result.exit_code == 2
    assert "the current folder is outside of it" in " ".join(result.output.split())
    assert files_in(elsewhere) == []


def test_an_installed_package_is_not_accepted_as_a_checkout(checkout: Path) -> None:
    (checkout / "tests" / "envs").rmdir()
    result = new("my_bus", "--python")
    assert result.exit_code == 2
    assert "is installed without one" in " ".join(result.output.split())
    assert files_in(checkout) == []


def test_a_failure_leaves_no_files_behind(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = project.write

    def fail_in_envs(files: Any, folder: Path) -> None:
        if folder == checkout / "envs" / "my_bus":
            raise OSError("the disk is full")
        write(files, folder)

    monkeypatch.setattr(project, "write", fail_in_envs)
    result = new("my_bus", "--python")
    assert result.exit_code == 1
    assert "nothing was written: the disk is full" in result.output
    assert files_in(checkout) == []


@pytest.mark.parametrize("name", ["a", "my_bus", "abcdef_ghijkl_mnopqr_stuv"])
def test_eight_files_are_written_in_the_projects_style(name: str, checkout: Path) -> None:
    result = new(name, "--python")
    assert result.exit_code == 0, result.output
    assert files_in(checkout) == sorted(
        [
            f"envs/{name}/__init__.py",
            f"envs/{name}/{name}_v0.py",
            f"envs/{name}/baselines.py",
            f"envs/{name}/card.md",
            f"envs/{name}/leaderboard.yaml",
            f"envs/{name}/rendering.py",
            f"envs/{name}/scenario.py",
            f"tests/envs/{name}/test_{name}.py",
        ]
    )
    assert all(path in result.output for path in files_in(checkout))
    for words in (["check"], ["format", "--check"]):
        config = ["--config", str(ROOT / "pyproject.toml"), "--no-cache", "."]
        subprocess.run([sys.executable, "-m", "ruff", *words, *config], check=True)


def test_each_file_to_edit_lists_the_environments() -> None:
    for files in LISTS:
        for file in files.split(", "):
            text = (ROOT / file).read_text()
            assert "cart_pole_v0" in text, file


PLAYED = """
import json
import sys
from pathlib import Path

import numpy as np
from pettingzoo.test import api_test, parallel_api_test

from defiance_zoo.environments import lookup, registered
from defiance_zoo.envs.my_bus import my_bus_v0
from defiance_zoo.experiments.study.leaderboard.board import Entry, play_entries, read_leaderboard

assert "my_bus_v0" in registered()
for placement in ("local", "remote", "central"):
    env = my_bus_v0.env(placement=placement, duration="500ms")
    api_test(env, num_cycles=20)
    env.close()
board = read_leaderboard("my_bus_v0").with_episodes(1)
entries = [Entry(name, policy) for name, policy in board.config.policies.items()]
rows = play_entries(board, entries, Path("played"), workers=1)
env = lookup("my_bus_v0").parallel_env(render_mode="rgb_array", duration="500ms")
env.reset(seed=1)
frames = [env.render()]
while env.agents:
    env.step(dict.fromkeys(env.agents, 3))
    frames.append(env.render())
env.close()
assert {frame.shape for frame in frames} == {(268, 600, 3)}
assert (frames[0] != frames[-1]).any()
print(json.dumps(list(rows)))
"""


@pytest.mark.long
def test_the_new_environment_works_unchanged(tmp_path: Path) -> None:
    make_scratch_checkout(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=tmp_path,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("-m", "defiance_zoo", "new", "my_bus", "--python", "--zoo")
    assert str(tmp_path) in run("-m", "defiance_zoo", "info", "my_bus_v0")
    evaluated = run("-m", "defiance_zoo", "eval", "my_bus_v0", "--policy", "slowest", "--json")
    assert '"my_bus_v0"' in evaluated
    options = ("--policy", "back_off", "--episodes", "1", "-p", "placement=central")
    run("-m", "defiance_zoo", "eval", "my_bus_v0", *options)
    assert run("-W", "ignore", "-c", PLAYED).endswith('["random", "slowest", "back-off"]\n')


def test_a_central_agent_observes_and_acts_for_all_devices(tmp_path: Path) -> None:
    """Each device has its elements and its action, independent of the others."""
    spec = written(tmp_path, "my_bus")
    central = spec.parallel_env(placement="central", bursts=0, rate="4Mbps", duration="3s")
    alone = spec.parallel_env(bursts=0, rate="4Mbps", duration="3s")
    for env in (central, alone):
        env.reset(seed=1)
    while central.agents:
        observed, rewards, *_ = central.step({"agent_0": [2, 0]})
        each, parts, *_ = alone.step({"agent_0": 2, "agent_1": 0})
        assert observed["agent_0"].tolist() == [*each["agent_0"], *each["agent_1"]]
        assert rewards["agent_0"] == pytest.approx(sum(parts.values()))
    assert not alone.agents
    assert parts["agent_0"] > parts["agent_1"] > 0
    central.close()
    alone.close()


def written(folder: Path, name: str) -> defiance_zoo.EnvironmentSpec:
    """Return an environment with the written scenario."""
    path = folder / "scenario_of_bus.py"
    path.write_text(project.render_zoo(name)[f"envs/{name}/scenario.py"])
    scenario = defiance_zoo.Scenario.python(name, path, defaults={"placement": "local"})
    return defiance_zoo.EnvironmentSpec(f"{name}_v0", scenario)
