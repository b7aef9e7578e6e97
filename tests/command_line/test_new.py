# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo new`: what it refuses, and what it writes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from defiance_zoo.command_line import main, project

ROOT = Path(__file__).resolve().parents[2]
STYLE = f"--style=file:{ROOT / '.clang-format'}"


def new(*arguments: str) -> Result:
    """Run `defiance-zoo new` in this process."""
    return CliRunner().invoke(main, ["new", *arguments])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "lower_snake_case"),
        ("my-scenario", "lower_snake_case.*did you mean 'my_scenario'"),
        ("MyScenario", "lower_snake_case.*did you mean 'my_scenario'"),
        ("2g", "lower_snake_case"),
        ("_mine", "lower_snake_case"),
        ("my__scenario", "lower_snake_case"),
        ("größe", "lower_snake_case"),
        ("../mine", "lower_snake_case"),
        ("lambda", "keyword"),
        ("my_scenario_v1", "version"),
        ("cart_pole", "cart_pole_v0 is a registered environment"),
        ("json", "would hide.*json"),
        ("numpy", "would hide.*numpy"),
        ("test", "taken.*CMake"),
        ("ns3", "would hide.*ns3"),
        ("tests", "taken.*folder"),
        ("install", "taken.*CMake"),
    ],
)
def test_names_that_do_not_fit_are_refused(name: str, why: str, folder: Path) -> None:
    result = new(name)
    assert result.exit_code == 2
    assert re.search(why, " ".join(result.output.split()))
    assert list(folder.iterdir()) == []


def test_nothing_is_overwritten(folder: Path) -> None:
    (folder / "my_scenario").mkdir()
    (folder / "my_scenario" / "notes").write_text("mine")
    result = new("my_scenario")
    assert result.exit_code == 2
    assert "my_scenario is not empty" in result.output
    assert [path.name for path in folder.rglob("*")] == ["my_scenario", "notes"]
    assert (folder / "my_scenario" / "notes").read_text() == "mine"


def test_a_file_is_no_folder(folder: Path) -> None:
    (folder / "my_scenario").write_text("mine")
    assert new("my_scenario").exit_code == 2
    assert new("my_scenario", "--into", "my_scenario").exit_code == 2
    assert (folder / "my_scenario").read_text() == "mine"


def test_the_folder_above_must_be_there(folder: Path) -> None:
    result = new("my_scenario", "--into", "there/mine")
    assert result.exit_code == 2
    assert "there is not a folder" in result.output
    assert list(folder.iterdir()) == []


def test_a_failure_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(files: dict[str, str]) -> dict[str, str]:
        return {**files, "README.md/below_a_file": ""}

    render = project.render
    monkeypatch.setattr(project, "render", lambda name: fail(render(name)))
    result = new("my_scenario")
    assert result.exit_code == 1
    assert "nothing was written" in result.output
    assert list(folder.iterdir()) == []


def test_the_files_have_the_scenarios_name(folder: Path) -> None:
    result = new("my_scenario")
    assert result.exit_code == 0, result.output
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files == {
        "my_scenario/.gitignore",
        "my_scenario/CMakeLists.txt",
        "my_scenario/README.md",
        "my_scenario/my_scenario/__init__.py",
        "my_scenario/my_scenario/my_scenario_v0.py",
        "my_scenario/pyproject.toml",
        "my_scenario/scenario/my-scenario-apps.cc",
        "my_scenario/scenario/my-scenario-apps.h",
        "my_scenario/scenario/my-scenario.cc",
        "my_scenario/tests/test_my_scenario.py",
    }
    header = (folder / "my_scenario/scenario/my-scenario-apps.h").read_text()
    assert "class MyScenarioAgentApp : public AgentApplication\n" in header
    assert "#ifndef MY_SCENARIO_APPS_H\n" in header


def test_an_empty_folder_is_filled(folder: Path) -> None:
    (folder / "my_scenario").mkdir()
    assert new("my_scenario").exit_code == 0
    (folder / "elsewhere").mkdir()
    before = (folder / "elsewhere").stat().st_ino
    os.chdir(folder / "elsewhere")
    result = new("other_one", "--into", ".")
    assert result.exit_code == 0, result.output
    assert Path("other_one/other_one_v0.py").is_file()
    assert Path.cwd().stat().st_ino == before
    assert "cd " not in result.output


@pytest.mark.parametrize("active", [True, False])
def test_what_is_missing_comes_first(active: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = str(Path(sys.executable).parent) if active else "nowhere"
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("NS3_DIR", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    found = {name: f"{programs}/{name}" for name in ("python", "python3")}
    monkeypatch.setattr("shutil.which", found.get)
    printed = new("my_scenario").output
    python = "python" if active else sys.executable
    cmake = "cmake" if active else f"{python} -m cmake"
    hint = "" if active else f" -DPython3_EXECUTABLE={python}"
    assert re.findall(r"^  (.*)$", printed, re.MULTILINE) == [
        "cd my_scenario",
        f"{python} -m pip install --no-deps ns3==3.44.post0",
        f"{python} -m pip install cmake pytest",
        f"{cmake} -S . -B build{hint}",
        f"{cmake} --build build",
        f"{python} -m pytest",
    ]


def test_each_file_of_the_template_is_used() -> None:
    template = Path(project.__file__).parent / "template"
    assert {path.name for path in template.iterdir()} == set(project.FILES)


@pytest.mark.parametrize("name", ["a", "my_scenario", "abcdef_ghijkl_mnopqr_stuv"])
def test_the_project_is_in_style(name: str, folder: Path) -> None:
    """Also where the name makes lines shorter or longer."""
    assert new(name).exit_code == 0
    sources = (folder / name / "scenario").iterdir()
    subprocess.run(["clang-format", STYLE, "--dry-run", "-Werror", *sources], check=True)
    for words in (["check"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *words, "--no-cache", "."]
        subprocess.run(command, cwd=folder / name, check=True)
