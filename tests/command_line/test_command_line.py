# SPDX-License-Identifier: GPL-2.0-only
"""The console command itself."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from click.testing import CliRunner

import defiance_zoo
from defiance_zoo import command_line
from defiance_zoo.command_line.commands import cmake_dir


def invoke(*arguments: str) -> tuple[int, str]:
    """Run the command in this process; return its exit status and its output."""
    result = CliRunner().invoke(command_line.main, arguments)
    return result.exit_code, result.output


def test_each_sub_command_is_in_the_help() -> None:
    status, printed = invoke("--help")
    assert status == 0
    for name in command_line.COMMANDS:
        assert f"\n  {name} " in printed
        assert invoke(name, "--help")[0] == 0


def test_help_imports_no_training_library() -> None:
    program = (
        "import sys\n"
        "from defiance_zoo.command_line import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "extras = {'torch', 'stable_baselines3', 'supersuit', 'ray', 'matplotlib', 'rich'}\n"
        "assert not extras & set(sys.modules), extras & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_command_is_a_module_and_a_console_script() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "defiance_zoo", "--version"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == f"defiance-zoo, version {defiance_zoo.__version__}\n"
    (script,) = entry_points(group="console_scripts", name="defiance-zoo")
    assert script.load() is command_line.main


def test_unknown_sub_commands_are_refused() -> None:
    status, printed = invoke("knew")
    assert status == 2
    assert "knew" in printed


def test_cmake_dir_is_printed() -> None:
    status, printed = invoke("cmake-dir")
    assert status == 0
    assert (Path(printed.strip()) / "defianceConfig.cmake").is_file()


def test_cmake_dir_of_an_unbuilt_package_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cmake_dir, "CMAKE_DIR", tmp_path)
    status, printed = invoke("cmake-dir")
    assert status == 1
    assert str(tmp_path) in printed
    assert "make build" in printed
