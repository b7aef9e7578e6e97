# SPDX-License-Identifier: GPL-2.0-only
"""Each command that a page shows is one that there is, with the options that it has."""

from __future__ import annotations

import importlib.util
import re
import shlex

import click
import pytest
from conftest import ROOT
from snippets import PAGES, commands

from defiance_zoo.command_line import main

# Who else runs what begins so, or why nobody does.
ELSEWHERE = {
    "pip install dist": "tools/check_wheel.py installs the wheel, which `make wheel` calls",
    "pip install 'dist": "tools/check_wheel.py installs the wheel with extras",
    'pip install "defiance-zoo[': "the same, when the package is on PyPI",
    "pip install --no-deps ns3==": "the Makefile does, before anything is built",
    "python3 -m venv": "Python's own; tools/create_venv does so",
    ". .venv/bin/activate": "of a venv; a shell's own",
    "cd ": "a shell's own",
    "export PYTHONPATH=$PWD": "a shell's own",
    "docker ": "no Docker here: tests/test_dockerfile.py holds tools/Dockerfile to the tree",
    "python -c 'import minari": "tests/recording/test_dataset.py loads datasets with Minari",
    "python -m pytest": "tests/command_line/test_new_project.py and tests/scenario/test_written.py",
    "cmake ": "tests/command_line/test_new_project.py, tests/envs/test_partition_own_protocol.py",
    "ctest ": "`make test` does",
    "gdb ": "gdb is not a dependency: tests/command_line/test_debug.py tries the command it wraps",
    "DEFIANCE_ONNXRUNTIME=": "tests/command_line/test_export_command.py",
    "NS_LOG=MyAgentApp build/my_scenario": "ns-3's own variable, as in any program",
    "build/my_scenario ": "tests/command_line/test_new_project.py",
    "build/native/cpp/test/defiance-test-runner": "ctest does, suite by suite",
    "ln -s ": "tests/test_contrib.py lays out a tree like this",
    "./ns3 ": "needs an ns-3 source tree; by hand, see docs/dependencies.md",
    "./test.py ": "needs an ns-3 source tree; by hand, see docs/dependencies.md",
}
COMMANDS = list(dict.fromkeys(commands()))
INLINE = [
    (path.relative_to(ROOT).as_posix(), words)
    for path in PAGES
    for words in re.findall(r"`(defiance-zoo [a-z][^`]*)`", path.read_text())
]


def elsewhere(command: str) -> list[str]:
    """Return the beginnings in `ELSEWHERE` that a command has."""
    return [begin for begin in ELSEWHERE if command.startswith(begin)]


def check(command: str) -> bool:
    """Check a command of this project by its declaration; return whether it is one."""
    words = [word for word in shlex.split(command) if word != "..."]
    if re.fullmatch(r"[A-Z]+=\S+", words[0]):
        words = words[1:]
    if words[0] == "defiance-zoo":
        check_options(words[1:])
    elif words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert words[1] in targets
    elif words[:2] == ["python", "-m"] and words[2].startswith("defiance_zoo"):
        assert importlib.util.find_spec(words[2])
    elif words[0].endswith("python") and words[1].startswith("examples/"):
        program = (ROOT / words[1]).read_text()
        options = [word[2:].replace("-", "_") for word in words if word.startswith("--")]
        assert all(re.search(rf"^    {option}: ", program, re.MULTILINE) for option in options)
    else:
        return False
    return True


def check_options(words: list[str]) -> None:
    """Refuse a sub-command or an option that there is not."""
    command: click.Command = main
    context = click.Context(main)
    while isinstance(command, click.Group) and words:
        found = command.get_command(context, words[0])
        assert found is not None, words[0]
        context = click.Context(found, parent=context, info_name=words[0])
        command, words = found, words[1:]
    command.make_parser(context).parse_args(list(words))


@pytest.mark.parametrize(("page", "command"), [*COMMANDS, *INLINE])
def test_a_command_is_one_that_there_is(page: str, command: str) -> None:
    assert elsewhere(command) or check(command), f"{page}: {command}"


def test_nothing_is_excused_that_no_page_shows() -> None:
    shown = {begin for _, command in COMMANDS for begin in elsewhere(command)}
    assert shown == set(ELSEWHERE)


@pytest.mark.parametrize(
    "command", ["defiance-zoo trian x", "defiance-zoo random cart_pole_v0 --episode-count 3"]
)
def test_what_there_is_not_is_found(command: str) -> None:
    with pytest.raises((AssertionError, click.UsageError)):
        check(command)
