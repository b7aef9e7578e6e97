# SPDX-License-Identifier: GPL-2.0-only
"""Events of running work, and pictures whose failure is only an event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Event = dict[str, Any]
"""An event: `event` is its kind.

docs/reference/command-line.md and docs/training/studies.md list them.
"""

EventCallback = Callable[[Event], None]
"""Called with each event."""


def ignore(_event: Event) -> None:
    """Ignore an event."""


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
