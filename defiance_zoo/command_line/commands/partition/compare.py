# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo partition compare`: who finds more of what a protocol can do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.commands.train import follow
from defiance_zoo.command_line.failures import as_messages, comparison
from defiance_zoo.command_line.progress import Advance, Mode, Wording, modes
from defiance_zoo.events import EventCallback


@click.command
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder of the comparison; by default comparison-NAME in runs/, with the file's name.",
)
@click.option("--workers", type=click.IntRange(1), help="Processes; by default one for each core.")
@modes
def command(file: Path, out: Path | None, workers: int | None, mode: Mode | None) -> None:
    """Run the comparison of explorers that the YAML file FILE describes.

    Cells that its folder holds already are not run again. The status is 1 if a cell failed.
    """
    with as_messages():
        library = comparison()
        described = library.read_comparison(file)
    folder = out or Path("runs") / f"comparison-{file.stem}"
    failed = 0

    def work(report: EventCallback) -> None:
        nonlocal failed
        failed = library.compare_explorers(described, folder, workers=workers, report=report).failed

    follow(work, mode or "people", Wording(_describe, _advance))
    if failed:
        click.get_current_context().exit(1)


def _describe(event: dict[str, Any]) -> str:
    match event["event"]:
        case "planned":
            done = f", {event['finished']:,} finished" if event["finished"] else ""
            return f"comparison in {event['comparison']}: {event['cells']:,} cells{done}"
        case "cell":
            found = f", violated: {', '.join(event['violations'])}" if event["violations"] else ""
            return f"{_place(event)}: coverage {event['coverage']:,}{found}"
        case "shrunk":
            return (
                f"{event['system']}: {event['property']} after {event['steps']:,} steps, of which "
                f"{event['shrunk']:,} are needed"
            )
        case "failed":
            return f"failed: {_place(event)}: {event['error']}: {event['message']}"
        case "interrupted":
            return "interrupted; the same command goes on"
        case "finished":
            failures = f"; {event['failed']:,} cells failed" if event["failed"] else ""
            return f"finished: {Path(event['comparison']) / 'report.html'}{failures}"
        case _:
            return ""


def _place(event: dict[str, Any]) -> str:
    return ", ".join(f"{axis}={value}" for axis, value in event["cell"].items())


def _advance(event: dict[str, Any]) -> Advance | None:
    match event["event"]:
        case "exploring":
            return Advance(event["step"], event["steps"], "steps", _place(event))
        case "cell":
            left = output.duration(event["remaining_s"])
            return Advance(event["done"], event["cells"], "cells", f"{left} left")
        case _:
            return None
