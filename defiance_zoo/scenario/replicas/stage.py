# SPDX-License-Identifier: GPL-2.0-only
"""Whether the process plays an episode yet: what the clock shows, and how mistakes end it."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from defiance_zoo.scenario.native import core


class _Stage:
    """Whether an episode is played, whose end the environment learns from the simulation."""

    is_played = False


def begin_play() -> None:
    """Have the simulation's clock, and report mistakes to the environment, from now on."""
    _Stage.is_played = True


def now() -> float:
    """Return virtual time in seconds; it is 0 while a rehearsal runs."""
    return float(core.now().seconds) if _Stage.is_played else 0.0


def fail(text: str) -> NoReturn:
    """End the process because of a mistake in the user's code: `ScenarioError`.

    Nothing is raised that code under test could catch.
    """
    if _Stage.is_played:
        core.fail(f"\n{text}\n")
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
    os._exit(1)  # nothing that code under test has registered is run
