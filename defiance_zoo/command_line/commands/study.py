# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo study`: policies in a grid of deployments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.cells import advance_cells, describe_cells, run_cells
from defiance_zoo.command_line.failures import import_study
from defiance_zoo.command_line.options import trust_option
from defiance_zoo.command_line.progress import Advance, Mode, Wording, modes
from defiance_zoo.experiments.workbench.events import EventCallback


@click.command
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder of the study; by default study-NAME in runs/, with the file's name.",
)
@click.option("--workers", type=click.IntRange(1), help="Processes; by default one for each core.")
@click.option("--dry-run", is_flag=True, help="Print the number of cells and episodes, and stop.")
@trust_option
@modes
def command(
    file: Path,
    out: Path | None,
    workers: int | None,
    dry_run: bool,
    trust: bool,
    mode: Mode | None,
) -> None:
    """Run the study that the YAML file FILE describes.

    Cells that are already in its folder do not run again. The exit status is 1 if a cell failed.
    """
    library = import_study()
    described = library.read_study(file)
    folder = out or Path("runs") / f"study-{file.stem}"
    if dry_run:
        _print_summary(library.summary(described, folder), mode)
        return

    def work(report: EventCallback) -> int:
        done = library.run_study(described, folder, workers=workers, trust=trust, report=report)
        return int(done.failed)

    run_cells(work, mode, STUDY_WORDING)


def _print_summary(facts: dict[str, int], mode: Mode | None) -> None:
    if mode == "json":
        output.print_json(facts)
    else:
        click.echo(
            f"{facts['cells']:,} cells, {facts['episodes']:,} episodes; {facts['finished']:,} "
            f"cells are finished; {facts['trainings']} policies to train"
        )


def _describe(event: dict[str, Any]) -> str:
    if event["event"] == "trained":
        return f"trained {event['policy']}"
    return describe_cells(event, "study")


def _advance(event: dict[str, Any]) -> Advance | None:
    match event["event"]:
        case "checked":
            return Advance(event["done"], event["deployments"], "deployments tried")
        case "training":
            left = output.duration(event["remaining_s"])
            reported = f"{event['policy']}  return {output.number(event['return'])}  {left} left"
            return Advance(event["steps"], event["until"], "decisions", reported)
        case _:
            return advance_cells(event)


STUDY_WORDING = Wording(_describe, _advance)
"""The printed lines of a study's events."""
