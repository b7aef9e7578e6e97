# SPDX-License-Identifier: GPL-2.0-only
"""Functions of commands that run the cells of a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.progress import Advance, Mode, Wording, follow, not_drawn
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.wording import assignments


def run_cells(work: Callable[[EventCallback], int], mode: Mode | None, wording: Wording) -> None:
    """Do work that returns the number of failed cells; exit with status 1 if there are any."""
    failed = 0

    def count(report: EventCallback) -> None:
        nonlocal failed
        failed = work(report)

    follow(count, mode, wording)
    if failed:
        click.get_current_context().exit(1)


def describe_cells(event: dict[str, Any], kind: str) -> str:
    """Return a line for an event of a kind, `study` or `comparison`; empty for other events."""
    match event["event"]:
        case "planned":
            done = f", {event['finished']:,} finished" if event["finished"] else ""
            return f"{kind} in {event[kind]}: {event['cells']:,} cells{done}"
        case "failed":
            return f"failed: {place(event)}: {event['error']}: {event['message']}"
        case "not_drawn":
            return not_drawn(event)
        case "interrupted":
            return "interrupted; the same command continues"
        case "finished":
            failures = f"; {event['failed']:,} cells failed" if event["failed"] else ""
            return f"finished: {Path(event[kind]) / 'report.html'}{failures}"
        case _:
            return ""


def advance_cells(event: dict[str, Any]) -> Advance | None:
    """Return the progress of the cells if an event reports it."""
    if event["event"] != "cell":
        return None
    left = output.duration(event["remaining_s"])
    return Advance(event["done"], event["cells"], "cells", f"{left} left")


def place(event: dict[str, Any]) -> str:
    """Return the position of an event's cell, as text."""
    return assignments(event["cell"])
