# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo partition compare`: explorers compared by the states that they reach."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from defiance_zoo.command_line.cells import advance_cells, describe_cells, place, run_cells
from defiance_zoo.command_line.failures import as_messages, import_comparison
from defiance_zoo.command_line.progress import Advance, Mode, Wording, modes
from defiance_zoo.experiments.workbench.events import EventCallback


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

    Cells that are already in its folder do not run again. The exit status is 1 if a cell failed.
    """
    with as_messages():
        library = import_comparison()
        described = library.read_comparison(file)
    folder = out or Path("runs") / f"comparison-{file.stem}"

    def work(report: EventCallback) -> int:
        done = library.compare_explorers(described, folder, workers=workers, report=report)
        return int(done.failed)

    run_cells(work, mode, Wording(_describe, _advance))


def _describe(event: dict[str, Any]) -> str:
    match event["event"]:
        case "cell":
            found = f", violated: {', '.join(event['violations'])}" if event["violations"] else ""
            return f"{place(event)}: coverage {event['coverage']:,}{found}"
        case "shrunk":
            return (
                f"{event['system']}: {event['property']} after {event['steps']:,} steps, of which "
                f"{event['shrunk']:,} are needed"
            )
        case _:
            return describe_cells(event, "comparison")


def _advance(event: dict[str, Any]) -> Advance | None:
    if event["event"] == "exploring":
        return Advance(event["step"], event["steps"], "steps", place(event))
    return advance_cells(event)
