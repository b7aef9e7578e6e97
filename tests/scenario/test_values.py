# SPDX-License-Identifier: GPL-2.0-only
"""Attributes, times and parameters, in a process of their own each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).with_name("programs")
ROOT = Path(__file__).resolve().parents[2]


def run(name: str) -> str:
    """Play an episode of a file by itself, and return what it prints."""
    done = subprocess.run(
        [sys.executable, ROOT / "defiance_zoo" / "scenario" / "__main__.py", PROGRAMS / name],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout


def test_values() -> None:
    """The program compares what it reads with what it knows, and says so at the end."""
    assert run("values.py").splitlines()[-1] == "all is as it should be"


def test_the_sketch() -> None:
    """Messages that are sent from within a device's trace sources."""
    decisions = int(run("sketch.py").split()[1])
    assert decisions > 100
