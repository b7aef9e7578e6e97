# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo population`: policies that are trained against mixtures of each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.commands.train import follow
from defiance_zoo.command_line.failures import as_messages, import_population
from defiance_zoo.command_line.options import (
    WholeNumber,
    json_option,
    parameter_option,
    read_parameters,
    split,
    trust_option,
)
from defiance_zoo.command_line.population_output import (
    WORDING,
    print_comparison,
    print_exploitability,
    print_population,
)
from defiance_zoo.command_line.progress import Mode, modes
from defiance_zoo.environments import lookup
from defiance_zoo.experiments.workbench.events import EventCallback

_FOLDER = click.Path(file_okay=False, path_type=Path)
_workers = click.option(
    "--workers",
    type=click.IntRange(0),
    help="Processes that play; by default one for each core; 0: the command's process alone.",
)


@click.group
def command() -> None:
    """Train policies against mixtures of each other."""


@command.command
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder of the population; by default population-NAME in runs/, with the file's name.",
)
@click.option("--generations", type=WholeNumber(1), help="Number of best responses of each role.")
@click.option("--seed", type=WholeNumber(), help="Seed of training and matches.")
@click.option("--overwrite", is_flag=True, help="Delete the population that the folder holds.")
@trust_option
@_workers
@modes
def train(
    file: Path,
    out: Path | None,
    overwrite: bool,
    trust: bool,
    workers: int | None,
    mode: Mode | None,
    **keys: Any,
) -> None:
    """Grow the population that the YAML file FILE describes.

    Ctrl-C and SIGTERM keep complete generations; `population resume` continues.
    """
    with as_messages():
        library = import_population()
        config = library.read_population_file(file)
        given = {name: value for name, value in keys.items() if value is not None}
        config = config.model_copy(update=given)
        folder = out or Path("runs") / f"population-{file.stem}"
    follow(
        lambda report: library.train_population(
            config, folder, overwrite=overwrite, workers=workers, trust=trust, report=report
        ),
        mode or "people",
        WORDING,
    )


@command.command
@click.argument("folder", type=_FOLDER)
@click.option(
    "--generations", type=WholeNumber(1), help="Generations in total; by default as planned."
)
@trust_option
@_workers
@modes
def resume(
    folder: Path, generations: int | None, workers: int | None, trust: bool, mode: Mode | None
) -> None:
    """Continue from the last complete generation of the population in FOLDER."""
    with as_messages():
        library = import_population()
    follow(
        lambda report: library.resume_population(
            folder, generations=generations, workers=workers, trust=trust, report=report
        ),
        mode or "people",
        WORDING,
    )


@command.command
@click.argument("folder", type=_FOLDER)
@click.option("--steps", type=WholeNumber(1), help="Decisions of each training.")
@click.option("--episodes", type=WholeNumber(1), help="Episodes of each cell that is played.")
@click.option("--seed", type=WholeNumber(), help="Seed of training and matches.")
@trust_option
@_workers
@modes
def exploit(folder: Path, mode: Mode | None, **keys: Any) -> None:
    """Train best responses to the mixtures of the population in FOLDER, without adding them.

    Their gain is a lower bound of the maximum gain, and is written to exploitability.json.
    """
    with as_messages():
        library = import_population()
    found: dict[str, Any] = {}

    def work(report: EventCallback) -> None:
        found.update(library.exploit_population(folder, report=report, **keys))

    follow(work, mode or "people", WORDING)
    if mode == "json":
        output.print_json({"event": "exploited", **found})
    elif mode != "quiet":
        print_exploitability(found)


@command.command
@click.argument("runs", nargs=-1, required=True, type=_FOLDER)
@click.option(
    "--role",
    "roles",
    multiple=True,
    metavar="NAME=PATTERN",
    help="Role of agents, such as jammer=agent_1; by default all agents have one.",
)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="NAME",
    help="A baseline that plays as well; may be repeated.",
)
@click.option("--payoff", type=click.Choice(["return", "per_decision"]), default="return")
@click.option(
    "--episodes", type=WholeNumber(1), default=20, help="Episodes of each cell; default: 20."
)
@click.option(
    "--seed", type=WholeNumber(), default=1000, help="Seed of the first episode; default: 1000."
)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for table and picture."
)
@json_option
@trust_option
@_workers
@parameter_option
def compare(
    runs: tuple[Path, ...],
    roles: tuple[str, ...],
    policies: tuple[str, ...],
    parameters: tuple[str, ...],
    as_json: bool,
    **keys: Any,
) -> None:
    """Play the best checkpoints of RUNS against each other, and print the payoffs.

    With a role for each of two agents, rows play the first role and columns the second.
    """
    with as_messages():
        library = import_population()
        from defiance_zoo.experiments.training.checkpoints import find_checkpoint

        first = find_checkpoint(runs[0], trust=keys["trust"]).config
        chosen = read_parameters(parameters, lookup(first.env)) if parameters else {}
        found = library.compare_runs(
            runs,
            baselines=[library.KnownPolicy(baseline=name) for name in policies],
            parameters={**first.parameters, **chosen},
            roles=split(roles, "--role"),
            **keys,
        )
    output.show(found, as_json, print_comparison)


@command.command
@click.argument("folder", type=_FOLDER)
@click.option("--json", "as_json", is_flag=True, help="Print all facts as JSON.")
def show(folder: Path, as_json: bool) -> None:
    """Print the policies, payoffs and figures of the population in FOLDER."""
    with as_messages():
        known = import_population().describe_population(folder)
    output.show(known, as_json, print_population)
