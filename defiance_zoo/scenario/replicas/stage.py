# SPDX-License-Identifier: GPL-2.0-only
"""The stage of the process (loading or episode), which determines clock and errors, and misuse."""

from __future__ import annotations

import re
import sys
from typing import Any, ClassVar, NoReturn

from defiance_zoo.bridge.system.single_process import end_process
from defiance_zoo.errors import NotInScenario
from defiance_zoo.scenario.native import core


class _Stage:
    """Whether an episode is played, so that the simulation reports errors."""

    is_played = False
    warned: ClassVar[set[str]] = set()


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


def one_line(text: Any) -> str:
    """Return a text for a message: with blanks in place of other space, and in UTF-8."""
    return " ".join(str(text).split()).encode(errors="backslashreplace").decode()


_PACKAGE = __file__.rpartition("/")[0].rpartition("/")[0] + "/"
_LONGEST = 1000
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def misuse(message: str) -> NoReturn:
    """End the episode, and show the running lines of the user's code."""
    import traceback

    stack = traceback.extract_stack()
    own = [each for each in stack if not each.filename.startswith(_PACKAGE)]
    fail("".join(traceback.format_list(own)) + message)


def warn_of_exception(error: BaseException) -> None:
    """Warn once of an exception that the program does not see, with its line."""
    text = describe_crash(error)
    if _Stage.is_played and text not in _Stage.warned:
        _Stage.warned.add(text)
        core.warn(f"unseen exception: a task or callback of a replica ended with {text}")


def describe_crash(error: BaseException) -> str:
    """Return an exception with its traceback as one line, equal in every folder and process.

    If it concerns a thread, process or socket, which simulations cannot have, end the episode.
    """
    import traceback

    if isinstance(error, NotInScenario):
        fail("".join(traceback.format_exception(error)))
    steps = [
        f"{each.filename.rpartition('/')[2]}:{each.lineno} in {each.name}: {each.line}"
        for each in traceback.extract_tb(error.__traceback__)
        if not each.filename.startswith(_PACKAGE)
    ]
    text = f"{type(error).__name__}: {error} ({' > '.join(steps)})"
    return one_line(_ADDRESS.sub("", text))[:_LONGEST]
