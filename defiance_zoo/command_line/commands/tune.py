# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo tune`: a search for good values of a run's keys."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.options import WholeNumber, out_option, trust_option
from defiance_zoo.command_line.parts import import_tuning
from defiance_zoo.command_line.progress import Mode, follow, modes
from defiance_zoo.experiments.workbench.progress import TUNING, short
from defiance_zoo.experiments.workbench.wording import number


@click.command
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--trials", type=WholeNumber(1), help="Trials in total; trials in the folder count.")
@click.option("--seeds", type=WholeNumber(1), help="Runs of each trial, which are averaged.")
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Processes that run trials.",
)
@out_option("tuning", "tune")
@trust_option
@modes
def command(
    file: Path,
    trials: int | None,
    seeds: int | None,
    workers: int,
    out: Path | None,
    trust: bool,
    mode: Mode | None,
) -> None:
    """Search for good values of keys of the run that the YAML file FILE describes.

    The section 'tuning' of FILE names the keys and their ranges. The same command continues a
    tuning that was stopped. The exit status is 1 if no trial is complete.
    """
    library = import_tuning()
    from defiance_zoo.experiments.workbench.descriptions import merge, read_yaml

    flags = {"trials": trials, "seeds": seeds}
    given = {key: value for key, value in flags.items() if value is not None}
    values = read_yaml(file)
    config = library.build_tuning(merge(values, {"tuning": given}) if given else values)
    folder = out or Path("runs") / f"tune-{file.stem}"
    outcome = follow(
        lambda report: library.tune(config, folder, workers=workers, trust=trust, report=report),
        mode,
        TUNING,
    )
    if mode is None:
        _print_trials(outcome.trials)
    if outcome.best is None:
        failed = next((each for each in outcome.trials if each.state == "failed"), None)
        why = f": trial {failed.number} failed: {failed.reason}" if failed else ""
        raise click.ClickException(f"no trial is complete{why}")


def _print_trials(trials: Sequence[Any]) -> None:
    keys = list(dict.fromkeys(key for each in trials for key in each.values))
    rows = [
        (
            str(each.number),
            each.state,
            number(each.value),
            *(short(each.values.get(key)) for key in keys),
            each.reason,
        )
        for each in trials
    ]
    headings = ("trial", "state", "mean return", *keys, "reason")
    output.print_table(headings, rows, right=("trial", "mean return", *keys))
