# SPDX-License-Identifier: GPL-2.0-only
"""Run the commands of a page, one after the other, in one shell and one folder."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from page_tables import FILES, GIVEN, NOT_RUN, REPLACED, SERVES, variables
from snippets import ALL, commands

_LIMIT_S = 500

_HEAD = """
serve() { "$PYTHON" "$SERVE" "$@"; }
failed() { echo "exit status $1: $2" >&2; exit 1; }
"""


def commands_of(page: str) -> list[str]:
    """Return the runnable commands of a page, as the page shows them."""
    return [command for where, command in commands() if where == page and not is_left_out(command)]


def is_left_out(command: str) -> bool:
    """Return whether no test runs a command."""
    return command.startswith(tuple(NOT_RUN))


def pages() -> list[str]:
    """Return the pages with runnable commands."""
    return list(dict.fromkeys(page for page, command in commands() if not is_left_out(command)))


def replace(page: str, text: str) -> str:
    """Return a command or a file of a page in the form in which the test runs it."""
    for old, new, _ in REPLACED.get(page, ()):
        text = text.replace(old, new)
    return text


def block(page: str, language: str, number: int) -> str:
    """Return the files that the reader of a page writes."""
    return [each.text for each in ALL if (each.page, each.language) == (page, language)][number]


def script(page: str) -> str:
    """Return the commands of a page as a shell program that ends at the first failure."""
    lines = [_HEAD]
    given = dict(GIVEN.get(page, {}))
    for command in commands_of(page):
        for begin in [each for each in given if command.startswith(each)]:
            lines.append(f"{{ {given.pop(begin)}\n}} || failed $? 'what {page} takes for granted'")
        lines.append(_step(page, command))
    return "\n".join(lines)


def _step(page: str, command: str) -> str:
    """Return how one command is run."""
    run = replace(page, command)
    for begin, (printed, status) in SERVES.items():
        if command.startswith(begin):
            run = f"serve '{printed}' {status} {run}"
    shown = _quote(f"{page}: {command}")
    return f"echo {_quote('$ ' + run)}\n{run} || failed $? {shown}"


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def run_page(page: str, folder: Path) -> None:
    """Run all runnable commands of a page, and fail with their output if one fails."""
    for name, place in FILES.get(page, {}).items():
        (folder / name).write_text(replace(page, block(page, *place)))
    run_script(script(page), folder)


def run_script(program: str, folder: Path) -> None:
    """Run a shell program like a reader would, and fail with its output if it fails."""
    serve = str(Path(__file__).with_name("serve.py"))
    environment = {**variables(folder), "PYTHON": sys.executable, "SERVE": serve}
    shell = subprocess.Popen(
        ["bash", "-c", program],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    with _ended(shell):
        said, _ = shell.communicate(timeout=_LIMIT_S)
    assert shell.returncode == 0, said


@contextlib.contextmanager
def _ended(shell: subprocess.Popen[str]) -> Iterator[None]:
    """Kill all processes of a shell, however it ends."""
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)
        shell.communicate()
