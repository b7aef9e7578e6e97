# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo new`: refused arguments, and written files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from defiance_zoo.command_line import main
from defiance_zoo.command_line.new_project import project
from defiance_zoo.command_line.new_project.existing_program import STYLES

ROOT = Path(__file__).resolve().parents[2]
STYLE = f"--style=file:{ROOT / '.clang-format'}"


def new(*arguments: str) -> Result:
    """Run `defiance-zoo new` in this process."""
    return CliRunner().invoke(main, ["new", *arguments])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
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
def test_invalid_names_are_refused(name: str, why: str, folder: Path) -> None:
    result = new(name)
    assert result.exit_code == 2
    assert re.search(why, " ".join(result.output.split()))
    assert list(folder.iterdir()) == []


def test_existing_files_are_not_overwritten(folder: Path) -> None:
    (folder / "my_scenario").mkdir()
    (folder / "my_scenario" / "notes").write_text("mine")
    result = new("my_scenario")
    assert result.exit_code == 2
    assert "my_scenario is not empty" in result.output
    assert [path.name for path in folder.rglob("*")] == ["my_scenario", "notes"]
    assert (folder / "my_scenario" / "notes").read_text() == "mine"


def test_a_file_in_place_of_the_folder_is_refused(folder: Path) -> None:
    (folder / "my_scenario").write_text("mine")
    assert new("my_scenario").exit_code == 2
    assert new("my_scenario", "--into", "my_scenario").exit_code == 2
    assert (folder / "my_scenario").read_text() == "mine"


def test_the_parent_folder_must_exist(folder: Path) -> None:
    result = new("my_scenario", "--into", "there/mine")
    assert result.exit_code == 2
    assert "there is not a folder" in result.output
    assert list(folder.iterdir()) == []


def test_a_failure_leaves_no_files_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(files: dict[str, str]) -> dict[str, str]:
        return {**files, "README.md/below_a_file": ""}

    render = project.render
    monkeypatch.setattr(project, "render", lambda *given, **how: fail(render(*given, **how)))
    result = new("my_scenario")
    assert result.exit_code == 1
    assert "nothing was written" in result.output
    assert list(folder.iterdir()) == []


def test_the_files_contain_the_scenarios_name(folder: Path) -> None:
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
        "my_scenario/scenario/my-scenario-network.cc",
        "my_scenario/scenario/my-scenario-network.h",
        "my_scenario/scenario/my-scenario.cc",
        "my_scenario/tests/test_gymnasium.py",
        "my_scenario/tests/test_my_scenario.py",
    }
    header = (folder / "my_scenario/scenario/my-scenario-network.h").read_text()
    assert "#ifndef MY_SCENARIO_NETWORK_H\n" in header


def test_the_files_contain_the_style_and_the_number_of_agents(folder: Path) -> None:
    words = {
        "applications": "CommunicationHelper",
        "direct": "NotifyCurrentState",
        "env": "public OpenGymEnv",
    }
    for style, word in words.items():
        assert new("mine", "--into", style, "--style", style, "--agents", "4").exit_code == 0
        program = (folder / style / "scenario" / "mine.cc").read_text()
        assert [each for each in words.values() if each in program] == [word]
        assert "uint32_t agents = 4;" in program
        assert "range(4)" in (folder / style / "tests" / "test_mine.py").read_text()
        assert "gymnasium_id" not in (folder / style / "mine" / "__init__.py").read_text()
        assert not (folder / style / "tests" / "test_gymnasium.py").exists()


MAIN = """#include "mine.h"
#include "ns3/core-module.h"
#include "ns3/csma-module.h"
#include <ns3/wifi-helper.h>
int main(int argc, char* argv[]) { return Run(); }
"""
HEADER = "class MyEnv : public OpenGymEnv {};"


def test_a_project_is_written_around_a_program(folder: Path) -> None:
    (folder / "sim.cc").write_text(MAIN)
    (folder / "mine.h").write_text(HEADER)
    result = new("my_scenario", "--from", "sim.cc", "--from", "mine.h", "--agents", "2")
    assert result.exit_code == 0, result.output
    work = folder / "my_scenario"
    assert (work / "scenario" / "sim.cc").read_text() == MAIN
    assert (work / "scenario" / "mine.h").read_text() == HEADER
    cmake = (work / "CMakeLists.txt").read_text().split()
    assert cmake[cmake.index("SOURCES") + 1 :] == [
        "scenario/sim.cc",
        "NS3_MODULES",
        "csma",
        "wifi)",
    ]
    assert "describes_itself=False" in (work / "my_scenario" / "my_scenario_v0.py").read_text()
    assert "== 2" in (work / "tests" / "test_my_scenario.py").read_text()


@pytest.mark.parametrize(
    ("files", "arguments", "why"),
    [
        ({"sim.cc": MAIN}, [], "mine.h.*give them with --from"),
        ({"mine.h": HEADER}, [], "one file has to have main.*none"),
        ({"sim.cc": MAIN, "two.cc": MAIN, "mine.h": HEADER}, [], "main.*sim.cc.*two.cc"),
        ({"sim.py": MAIN}, [], "sim.py.*neither .cc"),
        ({"sim.cc": MAIN, "mine.h": HEADER}, ["--style", "direct"], "agents have the style env"),
    ],
)
def test_files_without_a_whole_program_are_refused(
    files: dict[str, str], arguments: list[str], why: str, folder: Path
) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)
    given = [word for name in files for word in ("--from", name)]
    result = new("my_scenario", *given, *arguments)
    assert result.exit_code == 2
    assert re.search(why, " ".join(result.output.split()))
    assert not (folder / "my_scenario").exists()


def test_an_empty_folder_is_accepted(folder: Path) -> None:
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
def test_missing_prerequisites_are_printed_first(
    active: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        f"{python} -m defiance_zoo random my_scenario:my_scenario_v0",
    ]


def test_each_file_of_the_template_is_used() -> None:
    template = Path(project.__file__).parent / "template"
    found = {path.relative_to(template).as_posix() for path in template.rglob("*.in")}
    listed = (
        project.FILES,
        project.CPP_FILES,
        project.PYTHON_FILES,
        project.SCENARIO_FILES,
        project.EXISTING_FILES,
        project.GYMNASIUM_FILES,
        project.ZOO_FILES,
    )
    names = {name.replace("$style", style) for each in listed for name in each for style in STYLES}
    agents = {f"agents/{style}.cc.in" for style in STYLES}  # for programs without one
    assert found == names | agents | {"parameters.in"}


@pytest.mark.parametrize("name", ["a", "my_scenario", "abcdef_ghijkl_mnopqr_stuv"])
@pytest.mark.parametrize("style", STYLES)
def test_the_project_passes_the_style_checks(name: str, style: str, folder: Path) -> None:
    """The style holds with shorter and longer names."""
    assert new(name, "--style", style).exit_code == 0
    sources = (folder / name / "scenario").iterdir()
    subprocess.run(["clang-format", STYLE, "--dry-run", "-Werror", *sources], check=True)
    for words in (["check"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *words, "--no-cache", "."]
        subprocess.run(command, cwd=folder / name, check=True)
