# SPDX-License-Identifier: GPL-2.0-only
"""Each command that a page shows exists and has the shown options.

`test_commands_run.py` runs them, except for commands within sentences.
"""

from __future__ import annotations

import importlib.util
import re
import shlex

import click
import pytest
from conftest import ROOT
from page_shell import commands_of, is_left_out
from snippets import PAGES, commands

from defiance_zoo.command_line import main

COMMANDS = list(dict.fromkeys(commands()))
INLINE = [
    (path.relative_to(ROOT).as_posix(), words)
    for path in PAGES
    for words in re.findall(r"`(defiance-zoo [a-z][^`]*)`", path.read_text())
]


def check(command: str) -> bool:
    """Check a command of this project against its declaration; return whether it is one."""
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
    """Refuse an unknown sub-command or option."""
    command: click.Command = main
    context = click.Context(main)
    while isinstance(command, click.Group) and words:
        found = command.get_command(context, words[0])
        assert found is not None, words[0]
        context = click.Context(found, parent=context, info_name=words[0])
        command, words = found, words[1:]
    command.make_parser(context).parse_args(list(words))


@pytest.mark.parametrize(("page", "command"), [*COMMANDS, *INLINE])
def test_each_command_of_a_page_exists(page: str, command: str) -> None:
    """A command of another project runs, or a reason is given."""
    assert check(command) or is_left_out(command) or command in commands_of(page)


@pytest.mark.parametrize(
    "command", ["defiance-zoo trian x", "defiance-zoo random cart_pole_v0 --episode-count 3"]
)
def test_unknown_commands_and_options_are_found(command: str) -> None:
    with pytest.raises((AssertionError, click.UsageError)):
        check(command)
