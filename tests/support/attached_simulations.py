# SPDX-License-Identifier: GPL-2.0-only
"""Simulations that a test starts by hand, for an environment that waits."""

from __future__ import annotations

import contextlib
import io
import os
import queue
import shlex
import subprocess
import threading
from pathlib import Path
from typing import Any

from conftest import TRIAL


def start_by_hand(
    printed: str, program: Path | str | None = TRIAL.program
) -> subprocess.Popen[bytes]:
    """Run the command that an attaching environment printed, as a user would in a shell."""
    command = printed.strip().splitlines()[-1].strip()
    assert str(program) in shlex.split(command)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DEFIANCE")}
    return subprocess.Popen(["sh", "-c", f"exec env {command}"], env=environment)


class Printed(io.TextIOBase):
    """A standard error stream that passes on each write immediately."""

    def __init__(self) -> None:
        self._parts: queue.SimpleQueue[str] = queue.SimpleQueue()

    def write(self, text: str) -> int:
        self._parts.put(text)
        return len(text)

    def read_command(self) -> str:
        """Wait until the line with the episode's command is complete."""
        text = ""
        while "DEFIANCE_TOKEN" not in text or not text.endswith("\n"):
            text += self._parts.get()
        return text


class Attached:
    """An environment that waits in a thread for the simulation that the test starts by hand."""

    def __init__(self, env: Any, program: Path | str | None = TRIAL.program) -> None:
        thread = threading.Thread(target=env.reset, kwargs={"seed": 3}, daemon=True)
        printed = Printed()
        with contextlib.redirect_stderr(printed):
            thread.start()
            command = printed.read_command()
        self.process = start_by_hand(command, program)
        thread.join()
