# SPDX-License-Identifier: GPL-2.0-only
"""What workers do."""

from __future__ import annotations

from typing import Any, Protocol

from defiance_zoo.experiments.workbench.events import EventCallback


class Job(Protocol):
    """Work for one core."""

    def run(self, report: EventCallback) -> dict[str, Any]:
        """Do it; return what is to be written down."""

    def portable(self) -> Job:
        """Return the same job for a machine that has none of our files."""
