# SPDX-License-Identifier: GPL-2.0-only
"""Odd arguments, files and environments: each command reports the error without a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_calls import call
from limited_programs import variables

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.run_config_file import build_config, check_names
from defiance_zoo.experiments.workbench.descriptions import read_yaml

VALUES = [
    "scenario=3",
    "renderer=x",
    "self=1",
    "translate_options=1",
    "access=[lte]",
    'access={"choice": ["lte", 3]}',
    'loss={"choice": 3}',
    'loss={"uniform": ["a", "b"]}',
    f"carts={'1' * 5000}",
    f"carts={'[' * 100_000}",
    "carts=1e400",
    "launch=[1]",
    'link={"a": 1}',
    "timeout=NaN",
    "max_cycles=1.5",
    "delay=1parsec",
]


@pytest.mark.parametrize("value", VALUES, ids=[value[:24] for value in VALUES])
def test_odd_values_of_parameters_are_refused(value: str) -> None:
    status, printed, errors = call("random", "cart_pole_v0", "--episodes", 1, "-p", value)
    assert (status, printed) == (2, "")
    assert value.partition("=")[0] in errors


@pytest.mark.long
def test_commands_report_a_deleted_working_directory(tmp_path: Path) -> None:
    """Environments can be made; commands that write there report why they cannot."""
    folder = tmp_path / "gone"
    folder.mkdir()
    program = (
        "import os, sys; os.chdir(sys.argv[1]); os.rmdir(sys.argv[1])\n"
        "from defiance_zoo.environments import lookup\n"
        "env = lookup('cart_pole_v0').parallel_env(); env.reset(seed=1); env.close()\n"
        "from defiance_zoo.command_line import main\n"
        "main(sys.argv[2:])\n"
    )
    commands = {
        ("random", "cart_pole_v0", "--episodes", "1"): 0,
        ("list",): 0,
        ("info", "cart_pole_v0"): 0,
        ("train", "cart_pole_v0", "--steps", "64", "--quiet"): 1,
        ("new", "my_scenario"): 1,
    }
    for words, status in commands.items():
        folder.mkdir(exist_ok=True)
        done = subprocess.run(
            [sys.executable, "-c", program, folder, *words],
            env=variables(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (status, 2 if status else 0), done.stderr
        assert "Traceback" not in done.stderr
        if status:
            assert "directory" in done.stderr


@pytest.mark.long
def test_only_json_events_are_on_the_standard_output(tmp_path: Path) -> None:
    """Output of libraries during the work goes to the standard error."""
    (tmp_path / "loud.py").write_text(
        "from defiance_zoo.environments import EnvironmentSpec, register\n"
        "from defiance_zoo.bridge.simulation import Scenario\n"
        "def loud(space):\n"
        "    print('loud')\n"
        "    return lambda observation: 0\n"
        "scenario = Scenario('cart_pole_v0', 'cart_pole')\n"
        "spec = EnvironmentSpec('loud_v0', scenario, baselines={'loud': loud})\n"
        "register('loud_v0', spec)\n"
    )
    run = tmp_path / "run"
    words = ("train", "loud:loud_v0", "--steps", "32", "--hyper", "n_steps=32", "--json")
    more = ("--hyper", "batch_size=32", "-p", "duration=200ms", "--evaluation-episodes", "1")
    done = subprocess.run(
        [sys.executable, "-m", "defiance_zoo", *words, *more, "--out", run],
        env={**variables(), "PYTHONPATH": f"{tmp_path}:{variables()['PYTHONPATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert [json.loads(line)["event"] for line in done.stdout.splitlines()][-1] == "finished"
    assert "loud\n" in done.stderr


def test_commands_work_where_standard_descriptors_are_closed(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "defiance_zoo", "random", "cart_pole_v0", "--episodes", "1"]
    script = 'exec "$@" <&- >&- 2>&-'
    done = subprocess.run(["sh", "-c", script, "sh", *words], env=variables(), check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("section", ["", "hyperparameters", "evaluation"])
def test_many_unknown_keys_are_refused_fast_and_briefly(section: str, tmp_path: Path) -> None:
    """The time grows linearly with the number of keys, not with its square."""
    took = []
    for count in (1_000, 4_000):
        file = tmp_path / "run.yaml"
        head = f"{section}:\n" if section else ""
        keys = "".join(f"{'  ' if section else ''}key{each}: 1\n" for each in range(count))
        file.write_text(f"env: cart_pole_v0\n{head}{keys}")
        began = time.process_time()
        values = read_yaml(file)
        with pytest.raises(ParameterError) as raised:
            check_names(build_config(values))
        took.append(time.process_time() - began)
        assert len(str(raised.value)) < 5_000
    assert took[1] < 10 * took[0]  # linear: 4; quadratic: 16


def test_a_study_of_too_many_cells_is_refused(tmp_path: Path) -> None:
    axes = "".join(f"  {name}: {list(range(500))}\n" for name in ("loss", "delay", "carts"))
    head = "env: cart_pole_v0\npolicies: {a: {baseline: random}}\n"
    (tmp_path / "study.yaml").write_text(f"{head}grid:\n{axes}")
    status, _, errors = call("study", tmp_path / "study.yaml", "--dry-run")
    assert (status, "would have 125,000,000 cells" in errors) == (2, True)


def test_a_folder_whose_name_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    folder = os.fsdecode(bytes(tmp_path) + b"/\xff")
    with pytest.raises(ParameterError, match="is not UTF-8"):
        lookup("cart_pole_v0").parallel_env(record=folder).reset(seed=1)
    assert list(tmp_path.iterdir()) == []


def test_symbolic_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    for words in (("report", circle), ("new", "my_scenario", "--into", circle), ("replay", circle)):
        status, _, errors = call(*words)
        assert status in (1, 2)
        assert "Traceback" not in errors
        assert "circle" in errors


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (["ranom"], "'random'"),
        (["partition", "reccheck"], "'recheck'"),
        (["train", "--stpes"], "--steps"),
    ],
)
def test_misspelt_commands_and_options_name_the_nearest_one(
    arguments: list[str], near: str
) -> None:
    status, _, errors = call(*arguments)
    assert status == 2
    assert near in errors.split("id you mean")[1]


def test_a_time_without_a_unit_is_warned_of_once() -> None:
    status, _, errors = call("random", "cart_pole_v0", "-p", "delay=0.01", "--episodes", 2)
    assert (status, errors) == (
        0,
        "Warning: delay=0.01 was read as 0.01 s: write 0.01s or 0.01ms\n",
    )
