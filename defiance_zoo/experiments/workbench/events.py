# SPDX-License-Identifier: GPL-2.0-only
"""Events of running work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Event = dict[str, Any]
"""An event: `event` is its kind.

docs/reference/command-line.md and docs/training/studies.md list them.
"""

EventCallback = Callable[[Event], None]
"""Called with each event."""


def ignore(_event: Event) -> None:
    """Ignore an event."""
