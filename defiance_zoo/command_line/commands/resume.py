# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo resume`: the continuation of a run."""

from __future__ import annotations

from pathlib import Path

import click

from defiance_zoo.command_line.options import (
    WholeNumber,
    new_program_option,
    record_evaluations_option,
    trust_option,
)
from defiance_zoo.command_line.parts import import_training
from defiance_zoo.command_line.progress import Mode, follow, modes


@click.command
@click.argument("run", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--until",
    type=WholeNumber(1),
    help="Decisions of all agents at which to stop, earlier parts included; by default as planned.",
)
@record_evaluations_option
@trust_option
@new_program_option
@modes
def command(
    run: Path, until: int | None, record: bool, trust: bool, new_program: bool, mode: Mode | None
) -> None:
    """Continue from the last checkpoint of the run in the folder RUN.

    Optimiser, counters, exploration and seeds continue where they were. A run that was stopped
    before its first checkpoint begins again.
    """
    library = import_training()
    follow(
        lambda report: library.resume(
            run,
            until=until,
            record=record,
            trust=trust,
            new_program=new_program,
            report=report,
        ),
        mode,
    )
