# SPDX-License-Identifier: GPL-2.0-only
"""Errors in the use of this package, which end the episode; exceptions of replicas are crashes."""

from __future__ import annotations

import re
from typing import NoReturn

from defiance_zoo.errors import NotInScenario
from defiance_zoo.scenario.replicas.stage import fail

_PACKAGE = __file__.rpartition("/")[0].rpartition("/")[0] + "/"
_LONGEST = 1000
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def misuse(message: str) -> NoReturn:
    """End the episode, and show the running lines of the user's code.

    Args:
        message: The fault and the remedy.
    """
    import traceback

    stack = traceback.extract_stack()
    own = [each for each in stack if not each.filename.startswith(_PACKAGE)]
    fail("".join(traceback.format_list(own)) + message)


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
    return " ".join(_ADDRESS.sub("", text).split())[:_LONGEST]
