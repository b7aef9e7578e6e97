# SPDX-License-Identifier: GPL-2.0-only
"""The stage of the process (loading or episode), which determines clock and errors."""

from __future__ import annotations

import sys
from typing import NoReturn

from defiance_zoo.bridge.system.single_process import end_process
from defiance_zoo.scenario.native import core


class _Stage:
    """Whether an episode is played, so that the simulation reports errors."""

    is_played = False


def begin_play() -> None:
    """From now on, use the simulation's clock, and report errors to the environment."""
    _Stage.is_played = True


def now() -> float:
    """Return virtual time in seconds; 0 during a rehearsal."""
    return float(core.now().seconds) if _Stage.is_played else 0.0


def fail(text: str) -> NoReturn:
    """End the process because of an error in the user's code: `ScenarioError`.

    It raises no exception that code under test could catch.
    """
    if _Stage.is_played:
        core.fail(f"\n{text}\n")
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
    end_process(1)  # no exit handler of code under test runs
