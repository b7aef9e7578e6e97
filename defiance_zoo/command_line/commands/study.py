# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo study`: policies in a grid of deployments."""

from __future__ import annotations

from pathlib import Path

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.options import out_option, trust_option
from defiance_zoo.command_line.parts import import_study
from defiance_zoo.command_line.progress import Mode, modes, run_cells
from defiance_zoo.experiments.workbench.progress import STUDY


@click.command
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@out_option("study", "study")
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

    run_cells(
        lambda report: library.run_study(
            described, folder, workers=workers, trust=trust, report=report
        ),
        mode,
        STUDY,
    )


def _print_summary(facts: dict[str, int], mode: Mode | None) -> None:
    if mode == "json":
        output.print_json(facts)
    else:
        click.echo(
            f"{facts['cells']:,} cells, {facts['episodes']:,} episodes; {facts['finished']:,} "
            f"cells are finished; {facts['trainings']} policies to train"
        )
