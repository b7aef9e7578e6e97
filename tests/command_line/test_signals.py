# SPDX-License-Identifier: GPL-2.0-only
"""Signals end every command, from its first import on."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import click
import pytest
from click.testing import CliRunner

from defiance_zoo.command_line import main


def leaves(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from leaves(command, (*words, name))
        else:
            yield (*words, name)


def find(words: tuple[str, ...]) -> Any:
    """Return a command."""
    found: Any = main
    for word in words:
        found = found.get_command(click.Context(found), word)
    return found


@pytest.mark.parametrize("words", [*leaves(main)], ids=" ".join)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_every_command_at_once(
    words: tuple[str, ...], number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work() -> None:
        signal.raise_signal(number)
        raise AssertionError("the command continues")

    command = find(words)
    monkeypatch.setattr(command, "callback", work)
    monkeypatch.setattr(command, "params", [])
    result = CliRunner().invoke(main, list(words))
    assert (result.exit_code, result.output) == (128 + number, "")


SIGNALLED = """
import os, sys
sys.argv = ["defiance-zoo", "list"]
def strike(event, arguments):
    if event == "import" and arguments[0] == {module!r}:
        os.kill(os.getpid(), {number})
sys.addaudithook(strike)
from defiance_zoo.command_line import main
main()
"""


@pytest.mark.parametrize(
    "module",
    ["numpy", "gymnasium", "zmq", "click", "defiance_zoo.command_line.output"],
)
def test_a_signal_while_the_command_is_loaded_leaves_no_traceback(module: str) -> None:
    number = signal.SIGTERM if module == "zmq" else signal.SIGINT
    text = SIGNALLED.format(module=module, number=int(number))
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (128 + number, "", "")
