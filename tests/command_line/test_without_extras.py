# SPDX-License-Identifier: GPL-2.0-only
"""Commands that do not train work where no training library is installed."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from programs import Program

PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"

WITHOUT = """
import json, sys
sys.modules.update(dict.fromkeys({missing!r}))  # as if they were not installed
from click.testing import CliRunner
from defiance_zoo.command_line import main
for line in sys.stdin:
    done = CliRunner().invoke(main, json.loads(line))
    print(json.dumps([done.exit_code, done.stdout, done.stderr]), flush=True)
"""
Call = Callable[..., subprocess.CompletedProcess[str]]
MODULES = {
    "pyyaml": "yaml",
    "sb3-contrib": "sb3_contrib",
    "stable-baselines3": "stable_baselines3",
}


EXTRAS = (
    *("sb3", "rllib", "train", "record", "dataset", "study", "tune", "population", "onnx", "quic"),
)


def extras(chosen: Iterable[str] = EXTRAS) -> set[str]:
    """Return the modules that only these extras bring."""
    text = PYPROJECT.read_text()
    found = {"torch"}
    for extra in chosen:
        (listed,) = re.findall(rf"^{extra} = \[(.*)\]$", text, re.MULTILINE)
        names = {re.split(r"[><=\[]", name)[0] for name in re.findall(r'"(.*?)"', listed)}
        found |= {MODULES.get(name, name) for name in names - {"defiance-zoo", "msgpack-numpy"}}
    return found


@contextlib.contextmanager
def without_extras(*kept: str) -> Iterator[Call]:
    """Yield a function that runs the command in a Python that has no extras but those kept.

    All commands run in one process, whose start would take longer than most of them.
    """
    missing = extras() - (extras(kept) if kept else set())
    words = [sys.executable, "-c", WITHOUT.format(missing=missing)]
    pipe = subprocess.PIPE
    with Program(words, stdin=pipe, stdout=pipe, text=True, bufsize=1) as process:
        requests, answers = process.stdin, process.stdout
        assert requests is not None
        assert answers is not None

        def run(*arguments: str) -> subprocess.CompletedProcess[str]:
            requests.write(json.dumps(arguments) + "\n")
            return subprocess.CompletedProcess(arguments, *json.loads(answers.readline()))

        yield run
        requests.close()


@pytest.fixture(scope="module")
def call() -> Iterator[Call]:
    """Return a function that runs the command in a Python that has no extras."""
    with without_extras() as run:
        yield run


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
def test_commands_without_training_work_without_extras(call: Call, arguments: list[str]) -> None:
    done = call(*arguments)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_doctor_names_the_extra_of_a_missing_package(call: Call) -> None:
    done = call("doctor")
    assert done.returncode == 0
    assert re.search(
        r"missing \[sb3\]: .*stable_baselines3.*\n +pip install .*\[sb3\]", done.stdout
    )
    assert re.search(r"missing \[rllib\]: .*ray.*\n +pip install .*\[rllib\]", done.stdout)


@pytest.mark.parametrize(
    "arguments", [["train", "--env", "cart_pole_v0"], ["resume", "run"], ["eval", "run"]]
)
def test_train_says_what_to_install(call: Call, arguments: list[str]) -> None:
    done = call(*arguments)
    assert done.returncode == 1
    assert re.fullmatch(
        r"Error: training needs '\w+', .*\[sb3\].*\[rllib\]' \(that is .*\[benchmarl\]'.*\n",
        done.stderr,
    )


def test_a_library_trains_with_its_extra_alone(tmp_path: Path) -> None:
    with without_extras("sb3", "train") as run:
        chosen = ["--env", "cart_pole_v0", "--steps", "64", "--hyper", "n_steps=32"]
        trained = run("train", *chosen, "--evaluation-episodes", "1", "--out", str(tmp_path / "a"))
        assert trained.returncode == 0, trained.stderr
        assert run("eval", str(tmp_path / "a"), "--episodes", "1").returncode == 0
        assert "[study]" in run("study", "study.yaml").stderr


def test_tune_says_what_to_install(call: Call) -> None:
    done = call("tune", "tuning.yaml")
    assert done.returncode == 1
    assert re.fullmatch(
        r"Error: a tuning needs '[\w.]+', .*\[tune\]' \(that is .*\)\n", done.stderr
    )


def test_serve_over_quic_says_what_to_install(call: Call) -> None:
    done = call("serve", "trained", "--quic")
    assert done.returncode == 1
    assert re.fullmatch(
        r"Error: sending by QUIC needs '[\w.]+', which is not installed: .*\[quic\]'.*\n",
        done.stderr,
    )


def test_study_says_what_to_install(call: Call) -> None:
    done = call("study", "study.yaml")
    assert done.returncode == 1
    assert re.fullmatch(r"Error: a study needs '\w+', .*\[study\]' \(that is .*\)\n", done.stderr)
