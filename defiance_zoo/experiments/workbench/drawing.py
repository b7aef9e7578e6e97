# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of results; failures to draw them do not affect the results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from defiance_zoo.experiments.workbench.events import EventCallback, ignore

_Picture = TypeVar("_Picture")


@dataclass(frozen=True)
class NotDrawn:
    """A picture that could not be drawn."""

    picture: str
    error: str
    message: str

    def __str__(self) -> str:
        """Return the failure as a sentence without a full stop."""
        return f"{self.picture} was not drawn: {self.error}: {self.message}"


def draw_if_possible(
    picture: str, draw: Callable[[], _Picture], report: EventCallback = ignore
) -> _Picture | NotDrawn:
    """Draw a picture; an error of any kind is returned instead of raised."""
    try:
        return draw()
    except Exception as error:  # from a drawing library, or a full disk
        failure = NotDrawn(picture, type(error).__name__, str(error))
        report({"event": "not_drawn", **vars(failure)})
        return failure
