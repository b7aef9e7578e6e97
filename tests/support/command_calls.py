# SPDX-License-Identifier: GPL-2.0-only
"""Calls of the command in tests."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from programs import Program

from defiance_zoo.command_line import main


def call(*arguments: Any) -> tuple[int, str, str]:
    """Run the command in this process; return its status, output and errors."""
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    return result.exit_code, result.stdout, result.stderr


def call_for_json(*arguments: Any) -> Any:
    """Run the command with --json; return its parsed output, a list if there are several lines."""
    status, printed, errors = call(*arguments, "--json")
    assert (status, errors) == (0, "")
    lines = [json.loads(line) for line in printed.splitlines()]
    return lines[0] if len(lines) == 1 else lines


def start(*arguments: Any, **options: Any) -> Program[str]:
    """Start the command as a separate process; its output goes to a pipe by default."""
    return Program(
        [sys.executable, "-m", "defiance_zoo", *(str(each) for each in arguments)],
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "COLUMNS": "120"},
        **{"stdout": subprocess.PIPE, **options},
    )


def small(out: Path, *more: Any, n_steps: int = 32) -> tuple[Any, ...]:
    """Return the arguments of a run of one iteration."""
    flags = ("--env", "cart_pole_v0", "--steps", 32, "-p", "duration=200ms")
    hyper = ("--hyper", f"n_steps={n_steps}", "--hyper", "batch_size=32")
    return ("train", *flags, *hyper, "--evaluation-episodes", 1, "--out", out, *more)


def at_terminal(*arguments: Any, stream: str = "stderr") -> tuple[str, str]:
    """Run a command with one stream at a terminal; return its output in a pipe, and what it shows.

    Raises:
        AssertionError: The command failed.
    """
    ours, theirs = pty.openpty()
    with start(*arguments, **{stream: theirs}) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # no process writes to the terminal now
            while part := os.read(ours, 4096):
                shown += part
        printed = process.stdout.read() if process.stdout else ""
    os.close(ours)
    assert process.returncode == 0
    return printed, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
