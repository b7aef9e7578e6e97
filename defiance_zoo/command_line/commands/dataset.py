# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo dataset`: recorded episodes for offline learning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.options import json_option
from defiance_zoo.command_line.progress import quiet_option, waiting


@click.command
@click.argument(
    "places", metavar="FOLDER...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--id",
    "dataset_id",
    metavar="NAME",
    required=True,
    help="Name of the dataset, such as carts/dqn-v0.",
)
@click.option(
    "--agents",
    type=click.Choice(["each", "shared"]),
    default="each",
    show_default=True,
    help="A dataset for each agent, or one dataset for all agents, as for a shared policy.",
)
@click.option("--algorithm", help="Algorithm that decided.")
@click.option("--author", help="Author of the recordings.")
@json_option
@quiet_option
def command(
    places: tuple[Path, ...],
    dataset_id: str,
    agents: Any,
    algorithm: str | None,
    author: str | None,
    as_json: bool,
) -> None:
    """Make a Minari dataset of the recorded episodes in FOLDER...

    Minari finds the dataset, which is in MINARI_DATASETS_PATH or in ~/.minari/datasets.
    """
    with waiting(f"writing {dataset_id}"):
        from defiance_zoo.recording.dataset import make_dataset

        made = make_dataset(
            places, dataset_id, agents=agents, algorithm_name=algorithm, author=author
        )
    if as_json:
        output.print_json([each._asdict() for each in made])
        return
    headings = ("dataset", "agents", "episodes", "steps")
    rows = [
        (each.id, ", ".join(each.agents), str(each.episodes), f"{each.steps:,}") for each in made
    ]
    output.print_table(headings, rows, right=("episodes", "steps"))
