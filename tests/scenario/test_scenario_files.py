# SPDX-License-Identifier: GPL-2.0-only
"""A file with a Python scenario is an environment for every interface and command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_calls import call

import defiance_zoo
from defiance_zoo.environments.testing import play
from defiance_zoo.errors import ParameterError, UnknownEnvironment, UnknownOrigin
from defiance_zoo.experiments.training import resume
from defiance_zoo.experiments.training.run_config_file import build_config
from defiance_zoo.experiments.workbench.descriptions import read_yaml

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "queue_rate.py"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a scenario in it."""
    shutil.copy(EXAMPLE, tmp_path / "own.py")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_is_an_environment(folder: Path) -> None:
    env = defiance_zoo.make("own.py", duration="200ms")
    same = defiance_zoo.make(str(EXAMPLE), duration="200ms")
    assert play(env, 2) == play(same, 2)
    env.close()
    same.close()
    vector = defiance_zoo.make_vec("own.py", 2, duration="200ms")
    assert vector.reset(seed=1)[0].shape == (2, 2)
    vector.close()


@pytest.mark.parametrize("name", ["none.py", "none/own.py"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    with pytest.raises(UnknownEnvironment, match=f"there is no file {folder / name}"):
        defiance_zoo.make(name)


@pytest.mark.parametrize("stem", ["random", "queue", "typing"])
def test_files_that_hide_modules_of_python_are_refused(folder: Path, stem: str) -> None:
    file = folder / f"{stem}.py"
    (folder / "own.py").rename(file)
    with pytest.raises(ParameterError, match=f"would hide Python's module '{stem}'"):
        defiance_zoo.make(f"{stem}.py")
    with pytest.raises(ParameterError, match="give the file another name"):
        defiance_zoo.Scenario.python("own", file)


def test_files_beside_a_scenario_hide_no_modules_of_python(folder: Path) -> None:
    """The file would break NumPy, which draws its seeds with `random`."""
    for name in ("random", "queue", "typing"):
        (folder / f"{name}.py").write_text("raise AssertionError('this is not for you')\n")
    (folder / "beside.py").write_text("RATE = 4\n")
    own = folder / "own.py"
    own.write_text(f"import numpy, queue, random, typing\nimport beside\n{own.read_text()}")
    env = defiance_zoo.make("own.py", duration="200ms")
    env.reset(seed=1)
    env.close()


def test_a_relative_path_starts_at_the_file_that_names_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "naming.py").write_text(
        "import defiance_zoo\nSCENARIO = defiance_zoo.Scenario.python('own', 'own.py')\n"
    )
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.syspath_prepend(folder)
    import naming  # type: ignore[import-not-found] # written above

    assert naming.SCENARIO.program == folder / "own.py"


def test_a_description_may_name_a_file_in_its_folder(folder: Path) -> None:
    (folder / "run.yaml").write_text("env: own.py\nsystems: {one: {env: own.py}}\n")
    read = read_yaml(folder / "run.yaml")
    assert read == {
        "env": str(folder / "own.py"),
        "systems": {"one": {"env": str(folder / "own.py")}},
    }
    assert build_config({"env": "own.py"}).env == str(folder / "own.py")


def test_an_unsigned_run_executes_no_file_that_it_names(folder: Path) -> None:
    (folder / "config.yaml").write_text("env: own.py\n")
    (folder / "own.py").write_text('raise SystemExit(f\'{open("ran", "w")}\')\n')
    with pytest.raises(UnknownOrigin, match="which would be run"):
        resume(folder)
    assert not (folder / "ran").exists()


@pytest.mark.long
def test_commands_accept_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
    short = ("-p", "duration=200ms")
    assert "mean return" in printed_by("random", "own.py", *short)
    assert "own: ns-3" in printed_by("info", "own.py")
    options = ("--steps", "64", "--hyper", "n_steps=64", "--out", "run")
    assert "finished" in printed_by("train", "own.py", *options, *short)
    (folder / "module_here.py").write_text(
        "import defiance_zoo as dz\n"
        "dz.register('n_v0', dz.EnvironmentSpec('n_v0', dz.Scenario.python('own', 'own.py')))\n"
    )
    assert "mean return" in printed_by("random", "module_here:n_v0", *short)
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    assert "trained" in printed_by("eval", str(folder / "run"))


def printed_by(*arguments: str) -> str:
    status, printed, errors = call(*arguments)
    assert status == 0, errors
    return printed


def test_a_scenario_without_a_file_is_refused_with_the_way_to_write_one() -> None:
    code = "import defiance_zoo.scenario as sc\nsc.Simulation('own').main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "begin the cell with %%writefile own.py" in done.stderr


@pytest.mark.parametrize("program", [[], ["-m", "defiance_zoo", "random"]])
@pytest.mark.parametrize(
    ("name", "variables"),
    [
        ("r\u00e9seau.py".encode(), {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
        ("r\u00e9seau.py".encode("latin-1"), {}),
    ],
    ids=["ascii", "latin-1"],
)
def test_a_name_that_python_does_not_read_as_utf8_is_refused(
    folder: Path, program: list[str], name: bytes, variables: dict[str, str]
) -> None:
    (folder / "own.py").rename(folder / os.fsdecode(name))
    done = subprocess.run(
        [sys.executable, *program, name],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **variables},
    )
    assert done.returncode in (1, 2)
    assert "is not a name in UTF-8 here: rename " in done.stderr
