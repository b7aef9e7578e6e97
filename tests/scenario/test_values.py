# SPDX-License-Identifier: GPL-2.0-only
"""Attributes, times and parameters, in a process of their own each."""

from __future__ import annotations

from pathlib import Path

from scenario_files import play_file

PROGRAMS = Path(__file__).with_name("programs")


def test_values() -> None:
    """The program compares what it reads with what it knows, and says so at the end."""
    assert play_file(PROGRAMS / "values.py")[-1] == "all is as it should be"


def test_the_sketch() -> None:
    """Messages that are sent from within a device's trace sources."""
    decisions = int(play_file(PROGRAMS / "sketch.py")[0].split()[1])
    assert decisions > 100
