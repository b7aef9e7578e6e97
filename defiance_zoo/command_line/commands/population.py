# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo population`: policies that are trained against mixtures of each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.options import (
    WholeNumber,
    json_option,
    out_option,
    parameter_option,
    read_parameters,
    split,
    trust_option,
)
from defiance_zoo.command_line.parts import import_population
from defiance_zoo.command_line.progress import Mode, follow, modes, quiet_option, waiting
from defiance_zoo.environments import lookup
from defiance_zoo.experiments.workbench.events import Event
from defiance_zoo.experiments.workbench.progress import (
    Advance,
    Wording,
    first_failure,
    not_drawn,
)
from defiance_zoo.experiments.workbench.wording import duration, number, shell_command

_SHOWN = 16
"""Maximum number of rows and columns of a payoff matrix on a terminal."""


def print_population(known: dict[str, Any]) -> None:
    """Print the result of `describe_population()`."""
    click.echo(
        f"{known['env']}, {known['method']}: generation {known['generation']} of {known['until']}, "
        f"{known['cells']['known']} cells of the payoff table"
    )
    _print_policies(known["policies"])
    if known["matrix"]:
        click.echo()
        _print_matrix(known["matrix"])
    for each in known["history"]:
        for fallback in each["fallbacks"]:
            click.echo(f"generation {each['generation']}: {_fallback(fallback)}")
    click.echo()
    shown = {k: v for k, v in known["figures"].items() if not k.startswith(("elo/", "policies/"))}
    output.print_table(
        ("figure", "value"),
        [(name, number(value, 4)) for name, value in shown.items()],
        right=("value",),
    )


def print_exploitability(found: dict[str, Any]) -> None:
    """Print the result of `exploit_population()`."""
    least = number(found["nash_conv_lower_bound"], 4)
    click.echo(f"NashConv of generation {found['generation']} is at least {least}")
    keys = ("value", "response", "gain_lower_bound")
    headings = ("role", "value", "best response", "gain, at least")
    rows = [
        (role, *(number(each[key], 4) for key in keys)) for role, each in found["roles"].items()
    ]
    output.print_table(headings, rows, right=headings[1:])


def print_comparison(found: dict[str, Any]) -> None:
    """Print the result of `compare_runs()`."""
    click.echo(
        f"{found['env']}: payoffs of rows against columns, {found['episodes']} episodes each"
    )
    _print_matrix({**found, "rows": found["names"], "columns": found["names"]})
    if found["elo"]:
        ratings = sorted(found["elo"].items(), key=lambda each: -each[1])
        click.echo("Elo: " + ", ".join(f"{name} {value:.0f}" for name, value in ratings))
    if found["transitivity"] is not None:
        click.echo(f"transitivity {found['transitivity']:.3f}")
    if "not_drawn" in found:
        click.echo(found["not_drawn"])


def _print_policies(policies: Sequence[dict[str, Any]]) -> None:
    headings = ("role", "policy", "generation", "joined as", "probability", "steps", "Elo")
    rows = [
        (
            each["role"],
            each["name"],
            str(each["generation"]),
            each["kind"],
            number(each["probability"], 3),
            number(each["facts"].get("steps"), 0),
            number(each["elo"], 0),
        )
        for each in policies
    ]
    output.print_table(headings, rows, right=headings[4:])


def _print_matrix(matrix: dict[str, Any]) -> None:
    """Print payoffs with their intervals, only for the last policies if there are many."""
    rows, columns = matrix["rows"][-_SHOWN:], matrix["columns"][-_SHOWN:]
    lines = []
    for name, means, errors in zip(
        rows, matrix["means"][-_SHOWN:], matrix["standard_errors"][-_SHOWN:], strict=True
    ):
        pairs = zip(means[-_SHOWN:], errors[-_SHOWN:], strict=True)
        lines.append((name, *(_payoff(*pair) for pair in pairs)))
    output.print_table(("row earns", *columns), lines, right=columns)


def _payoff(mean: float | None, error: float | None) -> str:
    return number(mean, 3) + (f" ± {error:.2g}" if error else "")


def _fallback(known: dict[str, Any]) -> str:
    return f"solver {known['solver']} failed ({known['message']}); {known['instead']} was used"


def _describe(event: Event) -> str:
    match event["event"]:
        case "started":
            known = event["generation"]
            after = f" after generation {known}" if known >= 0 else ""
            return f"population in {event['population']}: {event['until']} generations{after}"
        case "trained":
            took = duration(event["seconds"])
            reason = event["stopped_by"]
            return f"trained {event['policy']}: {event['steps']:,} decisions, {reason}, {took}"
        case "fallback":
            return _fallback(event)
        case "simulation_failed":
            return first_failure(event)
        case "not_drawn":
            return not_drawn(event)
        case "generation":
            found = [
                f"{name.replace('_', ' ')} {number(event[name], 4)}"
                for name in ("nash_conv", "response_gain")
                if event[name] is not None
            ]
            left = duration(event["remaining_s"])
            return f"generation {event['generation']}: {', '.join(found)}; {left} left"
        case "interrupted":
            again = shell_command("population", "resume", event["population"])
            return f"interrupted after generation {event['generation']}; {again}"
        case "finished":
            return f"finished: {event['population']}, {event['reason']}"
        case _:
            return ""


def _advance(event: Event) -> Advance | None:
    match event["event"]:
        case "iteration":
            left = duration(event["remaining_s"])
            known = f"return {number(event['return'], 3)}  {left} left"
            text = f"{event['policy']}  {known}"
            return Advance(event["steps"], event["until"], "decisions", text)
        case "cell":
            left = duration(event["remaining_s"])
            return Advance(event["done"], event["cells"], "cells", f"{left} left")
        case _:
            return None


WORDING = Wording(_describe, _advance)


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
@out_option("population", "population")
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
    library = import_population()
    config = library.read_population_file(file)
    given = {name: value for name, value in keys.items() if value is not None}
    config = config.model_copy(update=given)
    folder = out or Path("runs") / f"population-{file.stem}"
    follow(
        lambda report: library.train_population(
            config, folder, overwrite=overwrite, workers=workers, trust=trust, report=report
        ),
        mode,
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
    library = import_population()
    follow(
        lambda report: library.resume_population(
            folder, generations=generations, workers=workers, trust=trust, report=report
        ),
        mode,
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
    library = import_population()
    found: dict[str, Any] = follow(
        lambda report: library.exploit_population(folder, report=report, **keys), mode, WORDING
    )
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
@quiet_option
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
    library = import_population()
    from defiance_zoo.experiments.training.checkpoints import find_checkpoint

    first = find_checkpoint(runs[0], trust=keys["trust"]).config
    chosen = read_parameters(parameters, lookup(first.env)) if parameters else {}
    with waiting(f"playing {first.env}", WORDING) as report:
        found = library.compare_runs(
            runs,
            baselines=[library.KnownPolicy(baseline=name) for name in policies],
            parameters={**first.parameters, **chosen},
            roles=split(roles, "--role"),
            report=report,
            **keys,
        )
    output.show(found, as_json, print_comparison)


@command.command
@click.argument("folder", type=_FOLDER)
@click.option("--json", "as_json", is_flag=True, help="Print all facts as JSON.")
def show(folder: Path, as_json: bool) -> None:
    """Print the policies, payoffs and figures of the population in FOLDER."""
    known = import_population().describe_population(folder)
    output.show(known, as_json, print_population)
