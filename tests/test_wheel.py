# SPDX-License-Identifier: GPL-2.0-only
"""The built wheel runs where only Python is installed, and scenarios build against it."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[1]


def linked() -> dict[Path, int]:
    """Return the programs and libraries of the build tree, with their times of modification."""
    return {
        path: path.stat().st_mtime_ns
        for path in (ROOT / "build" / "native").rglob("*")
        if path.is_file() and os.access(path, os.X_OK)
    }


@pytest.fixture(scope="module")
def linked_before() -> dict[Path, int]:
    """The result of `linked` before the wheel was built."""
    return linked()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, linked_before: dict[Path, int]) -> Path:
    """The wheel of this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([ROOT / "tools/build_wheel", sys.executable, folder], cwd=ROOT, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.mark.usefixtures("wheel")
def test_building_the_wheel_relinks_no_program_of_other_tests(
    linked_before: dict[Path, int],
) -> None:
    assert ROOT / "build/native/cpp/libdefiance.so" in linked_before
    assert linked() == linked_before


def test_the_wheel_alone_plays_an_episode(wheel: Path) -> None:
    subprocess.run([sys.executable, ROOT / "tools/check_wheel.py", wheel], check=True)


def test_the_description_has_neither_pictures_nor_links_to_files(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as content:
        (name,) = (each for each in content.namelist() if each.endswith(".dist-info/METADATA"))
        metadata = content.read(name).decode()
    assert "# defiance-zoo" in metadata
    assert re.findall(r"]\((?!https://)|!\[", metadata) == []


def test_a_new_scenario_builds_against_the_wheel(wheel: Path, tmp_path: Path) -> None:
    """With the headers of the installed ns-3, and the wheel's own library."""
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / "bin"
    subprocess.run([programs / "pip", "install", "--quiet", wheel, "pytest"], check=True)
    spec = importlib.util.find_spec("ns3")
    assert spec is not None
    (ns3,) = spec.submodule_search_locations or ()
    (packages,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (packages / "ns3").symlink_to(ns3)

    env = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    env.pop("VIRTUAL_ENV", None)

    def say(*command: str | Path) -> str:
        done = subprocess.run(
            command, cwd=tmp_path, env=env, check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout

    printed = say("defiance-zoo", "new", "my_scenario")
    commands = re.findall(r"^  (.*)$", printed, re.MULTILINE)
    assert commands[-2] == "python -m pytest"
    assert " 9 passed in " in say("sh", "-e", "-c", "\n".join(commands))
    libraries = say("ldd", "my_scenario/build/my_scenario")
    assert f"libdefiance.so => {packages}" in libraries
