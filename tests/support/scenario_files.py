# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios in Python that a test plays without an environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

RUNNER = Path(__file__).resolve().parents[2] / "defiance_zoo" / "scenario" / "__main__.py"


def play_file(file: Path, *arguments: str, cwd: Path | None = None, **variables: str) -> list[str]:
    """Play an episode of a file without error output; return the lines that it prints."""
    done = subprocess.run(
        [sys.executable, RUNNER, file, *arguments],
        cwd=cwd,
        env={**os.environ, **variables},
        check=False,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()
