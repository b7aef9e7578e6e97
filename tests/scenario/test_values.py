# SPDX-License-Identifier: GPL-2.0-only
"""Attributes, times and parameters, each in a separate process."""

from __future__ import annotations

from pathlib import Path

from scenario_files import play_file

PROGRAMS = Path(__file__).with_name("programs")


def test_values_are_set_and_read() -> None:
    """The program compares the values with the expected ones, and prints the result."""
    assert play_file(PROGRAMS / "values.py")[-1] == "all is as it should be"


def test_messages_can_be_sent_from_trace_sources() -> None:
    """From trace sources within a device."""
    decisions = int(play_file(PROGRAMS / "sketch.py")[0].split()[1])
    assert decisions > 100
