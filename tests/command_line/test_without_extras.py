# SPDX-License-Identifier: GPL-2.0-only
"""Commands that do not train work where no training library is installed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"

WITHOUT = """
import sys
sys.modules.update(dict.fromkeys({missing!r}))  # as if they were not installed
from defiance_zoo.command_line import main
main()
"""
MODULES = {
    "pillow": "PIL",
    "pyyaml": "yaml",
    "sb3-contrib": "sb3_contrib",
    "stable-baselines3": "stable_baselines3",
}


def extras() -> set[str]:
    """Return the modules that only extras bring."""
    text = PYPROJECT.read_text()
    found = {"torch"}
    for extra in (
        "sb3",
        "rllib",
        "train",
        "record",
        "dataset",
        "study",
        "tune",
        "population",
        "onnx",
        "quic",
    ):
        (listed,) = re.findall(rf"^{extra} = \[(.*)\]$", text, re.MULTILINE)
        names = {re.split(r"[><=\[]", name)[0] for name in re.findall(r'"(.*?)"', listed)}
        found |= {MODULES.get(name, name) for name in names - {"defiance-zoo", "msgpack-numpy"}}
    return found


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a Python that has no extras."""
    program = WITHOUT.format(missing=extras())
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_the_list_of_extras_is_complete() -> None:
    assert {
        "ray",
        "stable_baselines3",
        "pydantic",
        "yaml",
        "scipy",
        "onnx",
        "pyarrow",
        "minari",
        "optuna",
        "aioquic",
    } <= extras()


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["info", "cart_pole_v0"],
        ["random", "cart_pole_v0", "--episodes", "1"],
        ["debug", "cart_pole_v0", "--no-attach"],
        ["train", "--help"],
        ["study", "--help"],
        ["tune", "--help"],
        ["population", "--help"],
        ["serve", "--help"],
    ],
)
def test_commands_without_training_work_without_extras(arguments: list[str]) -> None:
    done = call(*arguments)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_doctor_names_the_extra_of_a_missing_package() -> None:
    done = call("doctor")
    assert done.returncode == 0
    assert re.search(
        r"missing \[sb3\]: .*stable_baselines3.*\n +pip install .*\[sb3\]", done.stdout
    )
    assert re.search(r"missing \[rllib\]: .*ray.*\n +pip install .*\[rllib\]", done.stdout)


@pytest.mark.parametrize(
    "arguments", [["train", "--env", "cart_pole_v0"], ["resume", "run"], ["eval", "run"]]
)
def test_train_says_what_to_install(arguments: list[str]) -> None:
    done = call(*arguments)
    assert done.returncode == 1
    assert re.fullmatch(
        r"Error: training needs '\w+', .*\[sb3\].*\[rllib\]' \(that is .*\)\n", done.stderr
    )


def test_tune_says_what_to_install() -> None:
    done = call("tune", "tuning.yaml")
    assert done.returncode == 1
    assert re.fullmatch(r"Error: a tuning needs '\w+', .*\[tune\]' \(that is .*\)\n", done.stderr)


def test_serve_over_quic_says_what_to_install() -> None:
    done = call("serve", "trained", "--quic")
    assert done.returncode == 1
    assert re.fullmatch(
        r"Error: sending by QUIC needs '[\w.]+', which is not installed: .*\[quic\]'.*\n",
        done.stderr,
    )


def test_study_says_what_to_install() -> None:
    done = call("study", "study.yaml")
    assert done.returncode == 1
    assert re.fullmatch(r"Error: a study needs '\w+', .*\[study\]' \(that is .*\)\n", done.stderr)
